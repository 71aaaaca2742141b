import {
  Cluster,
  ConfigMap,
  type Frozen,
  getCondition,
  type Kind,
  KubeadmConfig,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  olderConditionsOf,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { CONTROL_PLANE_INVARIANTS, type Rehearsal, type World } from "@capstan/sim";
import { resourcesIn } from "../azuremachine/life.ts";
import { MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";
import { noContest } from "../kit/no-contest.ts";
import {
  CLUSTER,
  CONTROL_PLANE,
  createControlPlane,
  GUESTS,
  loseMachine,
  NEW_VERSION,
  untilReady,
} from "../kit/control-plane-world.ts";

/** The end of the story. */
type Chapter = "created" | "upgraded" | "repaired" | "scaled" | "deleted";

const CHAPTERS: readonly Chapter[] = ["created", "upgraded", "repaired", "scaled", "deleted"];

/** Which life. */
interface LifeOptions {
  readonly seed: string;
  readonly until: Chapter;
}

/** A life of one machine that is created and deleted: all that the rights of a manager are for. */
export function shortLifeOf(seed: string, isLocked: boolean): Rehearsal {
  return {
    ...lifeOf({ seed, until: "deleted" }),
    story: async (world) => {
      if (isLocked) await leaveLock(world);
      await createControlPlane(world, { replicas: 1 });
      await reach(world, 1);
      await STORY.deleted(world);
    },
  };
}

/** The life of a control plane: three machines, a new version, a lost machine, one machine, and the end of the cluster. */
export function lifeOf({ seed, until }: LifeOptions): Rehearsal {
  return {
    world: {
      seed,
      controllers: simulatedControllers,
      yieldTo: [KubeadmControlPlane],
      guests: GUESTS,
      invariants: [...CONTROL_PLANE_INVARIANTS, noContest],
    },
    story: async (world) => {
      await createControlPlane(world, { replicas: 3 });
      for (const chapter of CHAPTERS.slice(0, CHAPTERS.indexOf(until) + 1)) await STORY[chapter](world);
    },
    endState: summaryOf,
  };
}

/** The lock of a machine that went before it had initialized the cluster: the next machine takes it over. */
async function leaveLock(world: World): Promise<void> {
  const metadata = { name: `${CLUSTER}-lock`, namespace: NAMESPACE };
  const data = { "lock-information": JSON.stringify({ machineName: "gone" }) };
  await world.run(world.user.create(ConfigMap, { metadata, data }));
}

const STORY: Readonly<Record<Chapter, (world: World) => Promise<void>>> = {
  created: (world) => reach(world, 3),
  upgraded: async (world) => {
    await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: NEW_VERSION } });
    await reach(world, 3);
  },
  repaired: async (world) => {
    await loseMachine(world);
    await world.advance(10 * MINUTE_MS);
    await reach(world, 3);
  },
  scaled: async (world) => {
    await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { replicas: 1 } });
    await reach(world, 1);
  },
  deleted: async (world) => {
    await remove(world, Cluster, CLUSTER);
    await world.rest(120 * MINUTE_MS);
  },
};

async function reach(world: World, replicas: number): Promise<void> {
  await world.advance(1000);
  if (!(await untilReady(world, replicas)))
    throw new Error(`the control plane does not reach ${replicas} machines`);
  await world.rest(20 * MINUTE_MS);
}

/** What is there in the end, without names, which are random. */
function summaryOf(world: World): unknown {
  const [controlPlane] = stored(world, KubeadmControlPlane);
  const [cluster] = stored(world, Cluster);
  const { status } = controlPlane ?? {};
  const etcd = world.etcd.at(endpointIn(cluster));
  const count = (type: string): number =>
    resourcesIn(world).filter((one) => one.startsWith(`${type}/`)).length;
  return {
    replicas: status && [status.replicas, status.readyReplicas, status.upToDateReplicas, status.version],
    creating: status?.creatingMachine,
    ready: getCondition(olderConditionsOf({ status }), "Ready")?.status,
    machines: stored(world, Machine).map(({ spec }) => spec.version),
    configs: stored(world, KubeadmConfig).length,
    azure: ["virtualMachines", "networkInterfaces", "disks"].map(count),
    members: etcd.membership()?.members.map(({ isLearner }) => isLearner),
    isServing: etcd.isServing(),
  };
}

function endpointIn(cluster: Frozen<Cluster> | undefined): string {
  const { host = "", port = 0 } = cluster?.spec.controlPlaneEndpoint ?? {};
  return `${host}:${port}`.toLowerCase();
}

function stored<T extends KubernetesObject>(world: World, { group, plural }: Kind<T>): readonly Frozen<T>[] {
  return [...world.management.storage.list({ resource: `${group}/${plural}` })] as unknown as Frozen<T>[];
}
