import {
  AzureMachineTemplate,
  type Kind,
  KubeadmConfigTemplate,
  KubeadmControlPlane,
  MachineDeployment,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import {
  azureMachineTemplate,
  kubeadmConfigTemplate,
  kubeadmControlPlane,
  machineDeployment,
} from "@capstan/runtime/testing/builders";
import { createWorld, type TraceEvent, type World } from "@capstan/sim";
import {
  createClusterWith,
  createIdentity,
  MINUTE_MS,
  NAMESPACE,
  patch,
} from "../../world/kit/fleet-world.ts";
import { armWritesIn, type Chapter, chapterOf, kubeWritesIn, refusalsIn } from "../machine-pools/chapter.ts";
import { HOUR_MS, stored, waitFor } from "../machine-pools/pool-work.ts";
import { median, printTable } from "../table.ts";
import { busyTimes } from "./busy-time.ts";

const OLD_VERSION = "v1.33.5";
const NEW_VERSION = "v1.34.1";
const MACHINES = 3;

/** One piece of work on all clusters. */
interface Work {
  readonly title: string;
  readonly chapter: Chapter;
  /** How long each cluster took, and how long Azure and the guests of its machines were at work in that time. */
  readonly clusters: readonly { readonly tookMs: number; readonly busyMs: number }[];
}

/** Clusters with three control planes and three workers each, on the simulated Azure in virtual time. */
export async function virtualClusters(count: number): Promise<void> {
  const startedMs = performance.now();
  let etcdRequests = 0;
  const world = await createWorld({
    seed: "1",
    controllers: (connections) =>
      simulatedControllers({
        ...connections,
        connectEtcd: (target) => {
          const etcd = connections.connectEtcd(target);
          return {
            request: (request) => {
              etcdRequests++;
              return etcd.request(request);
            },
            close: () => etcd.close(),
          };
        },
      }),
    yieldTo: [KubeadmControlPlane],
  });
  world.start();
  await createIdentity(world);
  const names = Array.from({ length: count }, (_, number) => `c${number}`);
  const each = async (change: (name: string) => Promise<void>): Promise<void> => {
    for (const name of names) await change(name);
  };
  const works = [
    await work(world, names, "create 3 + 3", () => each((name) => createAll(world, name))),
    await work(world, names, "upgrade 3 control planes", () =>
      each((name) =>
        patch(world, KubeadmControlPlane, controlPlaneOf(name), { spec: { version: NEW_VERSION } }),
      ),
    ),
    await work(world, names, "upgrade 3 workers", () =>
      each((name) =>
        patch(world, MachineDeployment, workersOf(name), {
          spec: { template: { spec: { version: NEW_VERSION } } },
        }),
      ),
    ),
  ];
  await world.advance(30 * MINUTE_MS);
  const beforeSettled = etcdRequests;
  const settled = await chapterOf(world, () => world.advance(HOUR_MS));
  printWorks(works, count);
  console.log(
    `\nA settled hour of ${count} clusters: ${kubeWritesIn(settled)} kube writes, ${armRequestsIn(settled)} ARM requests, ` +
      `${((etcdRequests - beforeSettled) / count / 60).toFixed(2)} requests to etcd a cluster and minute. ` +
      `Wall time ${((performance.now() - startedMs) / 1000).toFixed(0)} s.`,
  );
}

async function work(
  world: World,
  names: readonly string[],
  title: string,
  begin: () => Promise<void>,
): Promise<Work> {
  const startMs = world.scheduler.monotonicMs;
  const doneMs = new Map<string, number>();
  const chapter = await chapterOf(world, async () => {
    await begin();
    const allDone = (): boolean => {
      const unfinished = unfinishedIn(world);
      for (const name of names)
        if (!unfinished.has(name) && !doneMs.has(name)) doneMs.set(name, world.scheduler.monotonicMs);
      return doneMs.size === names.length;
    };
    await waitFor(world, allDone, `all clusters are ready: ${title}`);
  });
  const busy = busyTimes(chapter.events);
  const clusters = names.map((name) => ({
    tookMs: (doneMs.get(name) ?? 0) - startMs,
    busyMs: busy.get(name) ?? 0,
  }));
  return { title, chapter, clusters };
}

function printWorks(works: readonly Work[], count: number): void {
  const heads = [
    `${count} clusters in virtual time`,
    "ARM requests each",
    "ARM writes each",
    "429s",
    "kube writes each",
    "minutes, median",
    "minutes, slowest",
    "Azure and guests at work, median",
    "over, %",
  ];
  const minutes = (ms: number): string => (ms / MINUTE_MS).toFixed(1);
  printTable(
    heads,
    works.map(({ title, chapter, clusters }) => [
      title,
      (armRequestsIn(chapter) / count).toFixed(1),
      (armWritesIn(chapter) / count).toFixed(1),
      String(refusalsIn(chapter)),
      (kubeWritesIn(chapter) / count).toFixed(1),
      minutes(median(clusters.map(({ tookMs }) => tookMs))),
      minutes(Math.max(...clusters.map(({ tookMs }) => tookMs))),
      minutes(median(clusters.map((one) => one.busyMs))),
      median(clusters.map((one) => (100 * (one.tookMs - one.busyMs)) / one.busyMs)).toFixed(0),
    ]),
  );
}

function armRequestsIn({ events }: Chapter): number {
  const isOurs = ({ actor, happening }: TraceEvent): boolean =>
    happening.kind === "arm" && actor.startsWith("manager");
  return events.filter(isOurs).length;
}

/** The clusters whose machines do not all run yet with the desired version. */
function unfinishedIn(world: World): ReadonlySet<string> {
  const controlPlanes = stored<KubeadmControlPlane>(world, KubeadmControlPlane)
    .filter(({ metadata, status }) => {
      const counts = [status?.replicas, status?.readyReplicas, status?.upToDateReplicas];
      return (
        status?.observedGeneration !== metadata.generation || counts.some((number) => number !== MACHINES)
      );
    })
    .map(({ metadata }) => metadata.name.replace(/-cp$/, ""));
  const workers = stored<MachineDeployment>(world, MachineDeployment)
    .filter(({ metadata, status }) => {
      const counts = [status?.replicas, status?.availableReplicas, status?.upToDateReplicas];
      return (
        status?.observedGeneration !== metadata.generation || counts.some((number) => number !== MACHINES)
      );
    })
    .map(({ metadata }) => metadata.name.replace(/-workers$/, ""));
  return new Set([...controlPlanes, ...workers]);
}

function controlPlaneOf(cluster: string): string {
  return `${cluster}-cp`;
}

function workersOf(cluster: string): string {
  return `${cluster}-workers`;
}

async function createAll(world: World, cluster: string): Promise<void> {
  const { user } = world;
  const reference = ({ group, kind }: Kind, name: string) => ({ apiGroup: group, kind, name });
  const controlPlane = controlPlaneOf(cluster);
  const controlPlaneRef = reference(KubeadmControlPlane, controlPlane);
  await createClusterWith(world, cluster, { Cluster: { controlPlaneRef } });
  const metadata = { name: controlPlane, namespace: NAMESPACE };
  const machineTemplate = { spec: { infrastructureRef: reference(AzureMachineTemplate, controlPlane) } };
  const spec = { replicas: MACHINES, version: OLD_VERSION, machineTemplate };
  await world.run(user.create(AzureMachineTemplate, azureMachineTemplate({ metadata })));
  await world.run(user.create(KubeadmControlPlane, kubeadmControlPlane({ metadata, spec })));
  await createWorkers(world, cluster);
}

async function createWorkers(world: World, clusterName: string): Promise<void> {
  const { user } = world;
  const name = workersOf(clusterName);
  const metadata = { name, namespace: NAMESPACE };
  const reference = ({ apiVersion, kind }: Kind) => ({ apiVersion, kind, name });
  const template = {
    spec: {
      clusterName,
      version: OLD_VERSION,
      bootstrap: { configRef: reference(KubeadmConfigTemplate) },
      infrastructureRef: reference(AzureMachineTemplate),
    },
  };
  const spec = { clusterName, replicas: MACHINES, template };
  await world.run(user.create(AzureMachineTemplate, azureMachineTemplate({ metadata })));
  await world.run(user.create(KubeadmConfigTemplate, kubeadmConfigTemplate({ metadata })));
  await world.run(user.create(MachineDeployment, machineDeployment({ metadata, spec })));
}
