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
import { NAMESPACE, patch } from "../../world/kit/fleet-world.ts";
import {
  armWritesIn,
  type Chapter,
  chapterOf,
  kubeWritesIn,
  NO_WORK,
  refusalsIn,
} from "../machine-pools/chapter.ts";
import { HOUR_MS, readyClusters, stored, waitFor } from "../machine-pools/pool-work.ts";
import { median, printTable } from "../table.ts";
import { criticalPathMs, machineTimesIn } from "./critical-path.ts";

const CLUSTER = "demo";
const NAME = "workers";
const MINUTE_MS = 60_000;

/** One MachineDeployment on the simulated Azure, in virtual time: what it costs to create, roll, shrink and keep it. */
export async function virtualMachines(machines: number): Promise<void> {
  const startedMs = performance.now();
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
  const works: readonly Work[] = [
    { title: `create ${machines}`, chapter: create, count: machines, atOnce: machines },
    {
      title: `roll ${machines}, surge 10 %`,
      chapter: roll,
      count: machines,
      atOnce: Math.ceil(machines / 10),
    },
    { title: `scale to ${half}`, chapter: shrink, count: machines - half, atOnce: machines },
    { title: "a settled hour", chapter: settled, count: machines, atOnce: machines },
  ];
  printWorks(works);
  console.log(`\nWall time ${((performance.now() - startedMs) / 1000).toFixed(0)} s.\n`);
  printCounts("ARM operation", works, armOperationOf, 0);
  console.log();
  printCounts("kube writes a machine", works, kubeWriteOf, 2);
}

/** One piece of work on the deployment. */
interface Work {
  readonly title: string;
  readonly chapter: Chapter;
  /** How many machines it creates or deletes. */
  readonly count: number;
  /** How many of them at the same time. */
  readonly atOnce: number;
}

function printWorks(works: readonly Work[]): void {
  const minutes = (ms: number): string => (ms / MINUTE_MS).toFixed(1);
  printTable(
    [
      "virtual time",
      "ARM requests",
      "ARM writes",
      "429s",
      "kube writes",
      "a machine",
      "minutes",
      "critical path, minutes",
      "slowest machine, minutes",
      "median machine, minutes",
    ],
    works.map(({ title, chapter, count, atOnce }) => {
      const times = machineTimesIn(chapter.events);
      const each = times.creationsMs.length > 0 ? times.creationsMs : times.deletionsMs;
      return [
        title,
        String(chapter.events.filter(isArm).length),
        String(armWritesIn(chapter)),
        String(refusalsIn(chapter)),
        String(kubeWritesIn(chapter)),
        (kubeWritesIn(chapter) / count).toFixed(1),
        minutes(chapter.durationMs),
        each.length > 0 ? minutes(criticalPathMs(times, atOnce)) : "",
        each.length > 0 ? minutes(Math.max(...each)) : "",
        each.length > 0 ? minutes(median(each)) : "",
      ];
    }),
  );
}

function isArm({ actor, happening }: TraceEvent): boolean {
  return happening.kind === "arm" && actor.startsWith("manager");
}

function armOperationOf(event: TraceEvent): string | undefined {
  return isArm(event) && event.happening.kind === "arm" ? event.happening.operation : undefined;
}

function kubeWriteOf({ actor, happening }: TraceEvent): string | undefined {
  if (happening.kind !== "write" || !actor.startsWith("manager")) return undefined;
  const { verb, resource, subresource } = happening;
  if (NO_WORK.includes(resource) || subresource === "eviction") return undefined;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return `${verb} ${what} by ${actor.split("/").at(-1)}`;
}

/** Counts of events by name; with decimals they are for each machine. */
function printCounts(
  head: string,
  works: readonly Work[],
  nameOf: (event: TraceEvent) => string | undefined,
  decimals: number,
): void {
  const counts = works.map(({ chapter }) => {
    const byName = new Map<string, number>();
    for (const event of chapter.events) {
      const name = nameOf(event);
      if (name !== undefined) byName.set(name, (byName.get(name) ?? 0) + 1);
    }
    return byName;
  });
  const names = [...new Set(counts.flatMap((one) => [...one.keys()]))].toSorted();
  printTable(
    [head, ...works.map(({ title }) => title)],
    names.map((name) => [
      name,
      ...works.map(({ count }, index) =>
        ((counts[index]?.get(name) ?? 0) / (decimals > 0 ? count : 1)).toFixed(decimals),
      ),
    ]),
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
  const spec = { clusterName: CLUSTER, replicas, template, rollout: { strategy } };
  await world.run(user.create(MachineDeployment, machineDeployment({ metadata, spec })));
}

async function allAvailable(world: World, count: number): Promise<void> {
  const isDone = (): boolean =>
    stored<Machine>(world, Machine).length === count &&
    stored<MachineDeployment>(world, MachineDeployment).every(
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.availableReplicas === count &&
        status.upToDateReplicas === count,
    );
  await waitFor(world, isDone, `${count} machines are available`);
}
