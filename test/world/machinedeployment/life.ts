import {
  CLUSTER_NAME_LABEL,
  type Condition,
  type Kind,
  KubeadmConfig,
  Machine,
  MachineDeployment,
  MachineHealthCheck,
  MachineSet,
} from "@capstan/api";
import { machineHealthCheck } from "@capstan/runtime/testing/builders";
import type { Rehearsal, World } from "@capstan/sim";
import { create, find, patch, remove } from "../kit/cluster-world.ts";
import { setReady } from "../cluster/life.ts";
import type { Foreign } from "../kit/foreign-kinds.ts";
import {
  CLUSTER,
  controllers,
  createTemplate,
  DEPLOYMENT,
  deployment,
  isAvailable,
  PATIENCE_MS,
  prepare,
  referenceTo,
} from "../kit/deployment-world.ts";
import { listed, neverTooMany } from "./never-too-many.ts";
import { TestMachine, TestMachineTemplate } from "../kit/test-provider.ts";
import { noContest } from "../kit/no-contest.ts";

/** What a user does with a MachineDeployment. */
export const STORIES: Readonly<Record<string, (world: World) => Promise<void>>> = {
  create: createDeployment,
  scale: async (world) => {
    await createDeployment(world);
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 4 } });
    await world.rest(PATIENCE_MS);
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 1 } });
    await world.rest(PATIENCE_MS);
  },
  roll: async (world) => {
    await createDeployment(world);
    await createTemplate(world, "large");
    const infrastructureRef = referenceTo(TestMachineTemplate, "large");
    const spec = { template: { spec: { infrastructureRef } } };
    await patch(world, MachineDeployment, DEPLOYMENT, { spec });
    await world.rest(PATIENCE_MS);
  },
  remediate: async (world) => {
    await createDeployment(world);
    const selector = { matchLabels: { [CLUSTER_NAME_LABEL]: CLUSTER } };
    const checks = { unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 60 }] };
    const spec = { clusterName: CLUSTER, selector, checks };
    await create(world, MachineHealthCheck, machineHealthCheck({ spec }));
    await world.rest(PATIENCE_MS);
    const [victim = ""] = listed<Machine>(world.truth, Machine).map(({ metadata }) => metadata.name);
    await setReady(world, CLUSTER, victim, "False");
    await world.advance(PATIENCE_MS);
    if (await find(world, Machine, victim)) throw new Error("the unhealthy machine is still there");
  },
  relabel: async (world) => {
    await createDeployment(world);
    for (const labels of [
      { team: "a", tier: "web" },
      { team: "b", tier: null },
    ]) {
      const spec = { template: { metadata: { labels } } };
      await patch(world, MachineDeployment, DEPLOYMENT, { spec });
      await world.rest(PATIENCE_MS);
    }
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 3 } });
    await world.rest(PATIENCE_MS);
  },
  delete: async (world) => {
    await createDeployment(world);
    await remove(world, MachineDeployment, DEPLOYMENT);
    await world.rest(PATIENCE_MS);
    if (await find(world, MachineDeployment, DEPLOYMENT)) throw new Error("the deployment is still there");
  },
};

async function createDeployment(world: World): Promise<void> {
  await prepare(world);
  await create(world, MachineDeployment, deployment({ spec: { replicas: 2 } }));
  await world.rest(PATIENCE_MS);
}

/** A story under the invariants of machines. Names are random, so two runs are compared by numbers. */
export function rehearsalOf(story: string, seed: string, managers = 1): Rehearsal {
  const run = STORIES[story];
  if (!run) throw new Error(`there is no story ${story}`);
  const world = { seed, controllers, managers, invariants: [neverTooMany, noContest] };
  return { world, story: run, endState: endOf };
}

function endOf({ truth }: World): unknown {
  const machines = listed<Machine>(truth, Machine);
  const [owner] = listed<MachineDeployment>(truth, MachineDeployment);
  const { conditions, deprecated, ...status } = owner?.status ?? {};
  return {
    machines: machines.length,
    available: machines.filter(isAvailable).length,
    sets: listed<MachineSet>(truth, MachineSet).map(({ spec }) => spec.replicas),
    infrastructure: listed<Foreign>(truth, TestMachine)
      .map(({ spec }) => String(spec?.["size"]))
      .toSorted(),
    labels: [Machine, TestMachine, KubeadmConfig].map((kind: Kind) =>
      listed(truth, kind).map(({ metadata: { labels = {} } }) => [labels["team"], labels["tier"]]),
    ),
    status: owner && { ...status, conditions: [conditions, deprecated?.v1beta1?.conditions].map(named) },
  };
}

/** Conditions without their times and texts. */
export function named(conditions: readonly Readonly<Condition>[] | undefined): readonly string[] | undefined {
  return conditions?.map(({ type, status }) => `${type} ${status}`);
}
