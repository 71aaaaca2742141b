import {
  AzureMachine,
  type Frozen,
  getCondition,
  type Kind,
  KubeadmConfig,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  olderConditionsOf,
} from "@capstan/api";
import type { Rehearsal, World } from "@capstan/sim";
import { CONTROL_PLANE, NEW_VERSION, untilReady } from "../../kit/control-plane-world.ts";
import { MINUTE_MS, patch } from "../../kit/fleet-world.ts";
import { register } from "../../kit/in-place-world.ts";
import { optionsWith, prepareInPlace, UPDATER } from "../../kit/control-plane-in-place-world.ts";

/** An upgrade in place of a control plane with so many machines. */
export function upgradeOf(replicas: 1 | 3, seed = "1"): Rehearsal {
  const made: { world?: World } = {};
  return {
    world: { seed, ...optionsWith(() => made.world) },
    story: async (world) => {
      made.world = world;
      await register(world, UPDATER);
      await prepareInPlace(world, { replicas });
      await reach(world, replicas);
      await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: NEW_VERSION } });
      await reach(world, replicas);
    },
    endState: summaryOf,
  };
}

async function reach(world: World, replicas: number): Promise<void> {
  await world.advance(1000);
  if (!(await untilReady(world, replicas)))
    throw new Error(`the control plane does not reach ${replicas} up-to-date machines`);
  await world.rest(20 * MINUTE_MS);
}

/** What is there in the end, without names, which are random. As many virtual machines as ever existed. */
function summaryOf(world: World): unknown {
  const [controlPlane] = stored(world, KubeadmControlPlane);
  const { status } = controlPlane ?? {};
  return {
    replicas: status && [status.replicas, status.readyReplicas, status.upToDateReplicas, status.version],
    inPlace: status?.inPlace,
    ready: getCondition(olderConditionsOf({ status }), "Ready")?.status,
    machines: stored(world, Machine).map(({ spec, metadata, status: own }) => ({
      version: spec.version,
      updaters: spec.updaters,
      update: own?.update,
      kubelet: own?.nodeInfo?.kubeletVersion,
      annotations: Object.keys(metadata.annotations ?? {}),
    })),
    configs: stored(world, KubeadmConfig).map(({ spec, metadata }) => ({
      files: spec.files?.length,
      annotations: Object.keys(metadata.annotations ?? {}),
    })),
    infrastructure: stored(world, AzureMachine).map(({ metadata }) =>
      Object.keys(metadata.annotations ?? {}),
    ),
    guests: world.guests.list().map(({ stage }) => stage),
  };
}

function stored<T extends KubernetesObject>(world: World, { group, plural }: Kind<T>): readonly Frozen<T>[] {
  return [...world.management.storage.list({ resource: `${group}/${plural}` })] as unknown as Frozen<T>[];
}
