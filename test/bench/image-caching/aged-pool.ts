/** A pool whose base image is thirty days old, with and without an image of its own. */
import { AzureMachinePool, type Frozen, type Node, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { readImages } from "../../../packages/sim/src/guests/os-disk.ts";
import { DaemonSet, type WorkloadPod } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { MINUTE_MS, patch } from "../../world/kit/fleet-world.ts";
import { CLUSTER, plantCluster } from "../../world/kit/pool-world.ts";
import {
  createPrototypePool,
  POOL,
  prototypeControllers,
  prototypeWorld,
  scaleTo,
  untilRenewed,
} from "../../world/kit/prototype-world.ts";

const DAY_MS = 24 * 3600_000;
/** The virtual time at which worlds begin. */
const EPOCH_MS = Date.parse("2026-01-01T00:00:00Z");

/** How updates are published: one a day, each of which takes three seconds at the first boot. */
export const UPDATES = { sinceMs: EPOCH_MS - 30 * DAY_MS, perDay: 1, secondsEach: 3 };

interface AgedPoolOptions {
  readonly seed: string;
  readonly imageBytes: number;
  readonly bytesPerSecond: number;
  readonly isRenewed: boolean;
  /** Whether the base image is new, and no update is published. */
  readonly isFresh?: boolean;
}

/** What was measured of the machines that a scale-out from 3 to 30 added. */
interface ScaleOut {
  readonly createdToReadyS: readonly number[];
  readonly readyToPodS: readonly number[];
  readonly bytesPulled: number;
  readonly pending: readonly number[];
  /** How often each new machine has booted. */
  readonly boots: readonly number[];
  /** The files of the newest image that identify its donor, and the containers in it. */
  readonly identities: readonly string[];
}

const APP = "registry.example.com/app:1";

/** Scales a pool from 3 to 30 and measures its new machines. */
export async function measureScaleOut(options: AgedPoolOptions): Promise<ScaleOut> {
  const { seed, imageBytes, bytesPerSecond, isRenewed, isFresh = false } = options;
  const world = await createWorld({
    seed,
    controllers: prototypeControllers(),
    guests: isFresh ? {} : { updates: UPDATES },
    pods: { imageBytes: { [APP]: imageBytes }, pullBytesPerSecond: bytesPerSecond },
  });
  world.start();
  await plantCluster(world);
  await createPrototypePool(world, { interval: "8000h" });
  await world.until(() => world.truth.census(CLUSTER).nodesReady === 3, 120 * MINUTE_MS);
  await runApp(world);
  await world.until(() => world.truth.census(CLUSTER).podsRunning === 3, 120 * MINUTE_MS);
  await world.advance(15 * MINUTE_MS);
  if (isRenewed) {
    await patch(world, AzureMachinePool, POOL, {
      metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } },
    });
    await untilRenewed(world, 12 * 60 * MINUTE_MS);
    await world.advance(15 * MINUTE_MS);
  }
  const fromMs = world.truth.nowMs;
  const bootsOf = watchBoots(world);
  await scaleTo(world, 30);
  await world.until(() => world.truth.census(CLUSTER).podsRunning === 30, 240 * MINUTE_MS);
  const { pending, withoutImage } = bootsOf();
  return {
    ...measured(world, fromMs),
    pending,
    bytesPulled: withoutImage * imageBytes,
    boots: bootsOfNewMachines(world),
    identities: identitiesIn(world),
  };
}

const BOOTS = "/var/lib/systemd/boot-count";

function bootsOfNewMachines(world: World): readonly number[] {
  const { core } = world.azure;
  const isNew = (machineId: string): boolean => Number(machineId.split("/").at(-1)) >= 3;
  const machines = [...core.world.machines.records()].map(({ machineId }) => machineId);
  return machines.filter(isNew).map((machineId) => Number(core.disk(machineId)?.read(BOOTS)));
}

const OF_A_NODE =
  /^\/etc\/(hostname$|kubernetes\/|ssh\/ssh_host_|capstan\/)|^\/var\/lib\/(cloud|waagent|containerd\/containers)\/|^\/var\/lib\/kubelet\/(?!image_manager\/)|^\/var\/log\//;

function identitiesIn(world: World): readonly string[] {
  const published = [...world.azure.core.world.images.table.entries()].map(([, { image }]) => image);
  return published.flatMap(({ files = {} }) => Object.keys(files).filter((path) => OF_A_NODE.test(path)));
}

/** What the new machines lacked when they booted for the first time. */
interface FirstBoots {
  readonly pending: readonly number[];
  /** How many had to pull the image of the application. */
  readonly withoutImage: number;
}

/** Notes what is on the disk of each new machine at its first boot. */
function watchBoots(world: World): () => FirstBoots {
  const seen = new Map<string, { readonly pending: number; readonly hasImage: boolean }>();
  world.azure.core.onMachine(({ kind, machineId }) => {
    const disk = kind === "booted" && !seen.has(machineId) ? world.azure.core.disk(machineId) : undefined;
    if (!disk) return;
    const installed = Number(disk.read("/var/lib/dpkg/security-updates") ?? "0");
    const published = Math.floor((world.scheduler.wallMs - UPDATES.sinceMs) / DAY_MS);
    const hasImage = readImages(disk).some(({ names = [] }) => names.includes(APP));
    seen.set(machineId, { pending: published - installed, hasImage });
  });
  return () => {
    const boots = [...seen.values()];
    return {
      pending: boots.map(({ pending }) => pending),
      withoutImage: boots.filter(({ hasImage }) => !hasImage).length,
    };
  };
}

async function runApp(world: World): Promise<void> {
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("the cluster has no API server");
  const labels = { app: "app" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: APP }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await world.run(workload.create(DaemonSet, { metadata: { name: "app", namespace: "default" }, spec }));
}

function measured(world: World, fromMs: number): Pick<ScaleOut, "createdToReadyS" | "readyToPodS"> {
  const { created, createdToReadyS } = bootsSince(world, fromMs);
  const readySince = new Map(
    listed<Node>(world, "/nodes").map((node) => [node.metadata.name, readyAtS(node)]),
  );
  const pods = listed<WorkloadPod>(world, "/pods").filter(({ spec }) =>
    created.has(machineOf(spec?.nodeName)),
  );
  return {
    createdToReadyS,
    readyToPodS: pods.map((pod) => readyAtS(pod) - (readySince.get(pod.spec?.nodeName ?? "") ?? Number.NaN)),
  };
}

/** When machines were created since a moment, and how long they took to a Ready Node. */
function bootsSince(world: World, fromMs: number) {
  const created = new Map<string, number>();
  const createdToReadyS: number[] = [];
  for (const { atMs, happening } of world.trace.events.filter((event) => event.atMs >= fromMs)) {
    if (happening.kind === "machine" && happening.event === "created") created.set(happening.machine, atMs);
    if (happening.kind !== "node" || happening.event !== "ready") continue;
    const beganMs = created.get(machineOf(happening.node));
    if (beganMs !== undefined) createdToReadyS.push((atMs - beganMs) / 1000);
  }
  return { created, createdToReadyS };
}

/** The machine of a Node, as the trace names it. */
function machineOf(node = ""): string {
  return `${POOL}/${Number.parseInt(node.slice(POOL.length), 36)}`;
}

function listed<T>(world: World, resource: string): readonly Frozen<T>[] {
  return [...(world.truth.workload(CLUSTER)?.list({ resource }) ?? [])] as unknown as readonly Frozen<T>[];
}

interface WithReady {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime?: string }[];
  };
}

function readyAtS({ status }: WithReady): number {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return Date.parse(ready?.lastTransitionTime ?? "") / 1000;
}

/** A pool of this size in a ready cluster, whose machines get updates daily. */
export async function dailyPool(seed: string, replicas: number, interval: string): Promise<World> {
  const world = await prototypeWorld({ seed, invariants: [], guests: { updates: UPDATES } });
  await createPrototypePool(world, { replicas, interval });
  await world.until(() => world.truth.census(CLUSTER).nodesReady === replicas, 240 * MINUTE_MS);
  return world;
}
