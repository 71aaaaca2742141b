import {
  AzureMachineTemplate,
  type Kind,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
} from "@capstan/api";
import {
  azureMachineTemplate,
  kubeadmConfigTemplate,
  machineDeployment,
} from "@capstan/runtime/testing/builders";
import type { TraceEvent, World } from "@capstan/sim";
import { NAMESPACE, patch } from "../../world/fleet/fleet-world.ts";
import { armWritesIn, type Chapter, chapterOf, kubeWritesIn, refusalsIn } from "../machine-pools/chapter.ts";
import { HOUR_MS, readyClusters, stored, waitFor } from "../machine-pools/pool-work.ts";
import { printTable } from "../table.ts";

const CLUSTER = "demo";
const NAME = "workers";
const MINUTE_MS = 60_000;

/** One MachineDeployment on the simulated Azure, in virtual time: what it costs to create, roll, shrink and keep it. */
export async function virtualMachines(machines: number): Promise<void> {
  const world = await readyClusters([CLUSTER]);
  const create = await chapterOf(world, async () => {
    await createDeployment(world, machines);
    await allAvailable(world, machines);
  });
  const roll = await chapterOf(world, async () => {
    await patch(world, MachineDeployment, NAME, { spec: { template: { spec: { version: "v1.34.1" } } } });
    await allAvailable(world, machines);
  });
  await world.advance(30 * MINUTE_MS);
  const settled = await chapterOf(world, () => world.advance(HOUR_MS));
  const half = Math.floor(machines / 2);
  const shrink = await chapterOf(world, async () => {
    await patch(world, MachineDeployment, NAME, { spec: { replicas: half } });
    await allAvailable(world, half);
  });
  const works: readonly (readonly [string, Chapter, number])[] = [
    [`create ${machines}`, create, machines],
    [`roll ${machines}, surge 10 %`, roll, machines],
    [`scale to ${half}`, shrink, machines - half],
    ["a settled hour", settled, machines],
  ];
  printTable(
    ["virtual time", "ARM requests", "ARM writes", "429s", "kube writes", "a machine", "virtual minutes"],
    works.map(([work, chapter, count]) => [
      work,
      String(chapter.events.filter(isArm).length),
      String(armWritesIn(chapter)),
      String(refusalsIn(chapter)),
      String(kubeWritesIn(chapter)),
      (kubeWritesIn(chapter) / count).toFixed(1),
      (chapter.durationMs / MINUTE_MS).toFixed(1),
    ]),
  );
  console.log();
  printOperations(works);
}

function isArm({ actor, happening }: TraceEvent): boolean {
  return happening.kind === "arm" && actor.startsWith("manager");
}

function printOperations(works: readonly (readonly [string, Chapter, number])[]): void {
  const counts = works.map(([, { events }]) => {
    const byName = new Map<string, number>();
    for (const { happening } of events.filter(isArm)) {
      if (happening.kind === "arm")
        byName.set(happening.operation, (byName.get(happening.operation) ?? 0) + 1);
    }
    return byName;
  });
  const names = [...new Set(counts.flatMap((one) => [...one.keys()]))].toSorted();
  printTable(
    ["ARM operation", ...works.map(([work]) => work)],
    names.map((name) => [name, ...counts.map((one) => String(one.get(name) ?? 0))]),
  );
}

async function createDeployment(world: World, replicas: number): Promise<void> {
  const metadata = { name: NAME, namespace: NAMESPACE };
  const reference = ({ apiVersion, kind }: Kind) => ({ apiVersion, kind, name: NAME });
  const { user } = world;
  await world.run(user.create(AzureMachineTemplate, azureMachineTemplate({ metadata })));
  const config = kubeadmConfigTemplate({ metadata, spec: { template: { spec: {} } } });
  await world.run(user.create(KubeadmConfigTemplate, config));
  const template = {
    spec: {
      clusterName: CLUSTER,
      version: "v1.33.5",
      bootstrap: { configRef: reference(KubeadmConfigTemplate) },
      infrastructureRef: reference(AzureMachineTemplate),
    },
  };
  const strategy = {
    type: "RollingUpdate" as const,
    rollingUpdate: { maxSurge: "10%", maxUnavailable: 0 },
  };
  const spec = { clusterName: CLUSTER, replicas, template, strategy };
  await world.run(user.create(MachineDeployment, machineDeployment({ metadata, spec })));
}

async function allAvailable(world: World, count: number): Promise<void> {
  const isDone = (): boolean =>
    stored<Machine>(world, Machine).length === count &&
    stored<MachineDeployment>(world, MachineDeployment).every(
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.availableReplicas === count &&
        status.updatedReplicas === count,
    );
  await waitFor(world, isDone, `${count} machines are available`);
}
