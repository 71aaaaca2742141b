/**
 * Node OS image caching in virtual time: what new nodes save, what a renewal costs. All durations are those of simulated
 * Azure and guests; ratios count.
 */
import { AzureMachinePool, parseDuration, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import { POOL, scaleTo, stored, untilRenewed } from "../world/kit/prototype-world.ts";
import { CLUSTER } from "../world/kit/pool-world.ts";
import { patch } from "../world/kit/fleet-world.ts";
import { dailyPool, measureScaleOut, UPDATES } from "./image-caching/aged-pool.ts";
import { median, printTable } from "./table.ts";

const GB = 1_000_000_000;
const HOUR_MS = parseDuration("1h");
/** The share of the time from a Ready Node to a Ready pod that images of 2 GB and more are to save. */
const GOAL = 0.7;

async function scaleOuts(): Promise<void> {
  const rows: string[][] = [];
  let nodes = { rows: [] as readonly string[][], miss: "" };
  const misses: string[] = [];
  const problems: string[] = [];
  for (const bytes of [0.2 * GB, 2 * GB, 5 * GB]) {
    for (const rate of [50_000_000, 200_000_000]) {
      const options = { seed: "1", imageBytes: bytes, bytesPerSecond: rate };
      const base = await measureScaleOut({ ...options, isRenewed: false });
      const own = await measureScaleOut({ ...options, isRenewed: true });
      const [before, after] = [median(base.readyToPodS), median(own.readyToPodS)];
      rows.push([
        `${bytes / GB} GB, ${rate / 1_000_000} MB/s`,
        before.toFixed(0),
        after.toFixed(0),
        `${Math.round(100 * (1 - after / before))} %`,
        `${(base.bytesPulled / GB).toFixed(1)} GB`,
        `${(own.bytesPulled / GB).toFixed(1)} GB`,
      ]);
      if (bytes >= 2 * GB && 1 - after / before < GOAL)
        misses.push(missText(bytes, rate, { before, after, pulled: own.bytesPulled }));
      problems.push(...broken(own));
      if (nodes.rows.length === 0) nodes = await nodeRows(options, { base, own });
    }
  }
  printTable(
    [
      "scale-out 3 → 30, image",
      "Node Ready → pod Ready, base, s",
      "own image, s",
      "less",
      "pulled, base",
      "own image",
    ],
    rows,
  );
  for (const miss of misses) console.log(`\n${miss}`);
  console.log();
  printTable(["27 new nodes", "measured", "goal"], nodes.rows);
  if (nodes.miss !== "") console.log(`\n${nodes.miss}`);
  if (problems.length > 0) throw new Error(`what must hold does not: ${problems.join("; ")}`);
}

type ScaleOut = Awaited<ReturnType<typeof measureScaleOut>>;

/** What must be so in every run, whatever the durations are. */
function broken({ boots, bytesPulled, pending, identities }: ScaleOut): readonly string[] {
  const most = Math.max(...boots);
  return [
    ...(boots.length === 27 && most === 1 ? [] : [`${boots.length} new machines booted up to ${most} times`]),
    ...(bytesPulled === 0 ? [] : [`${bytesPulled} bytes were pulled`]),
    ...(Math.max(...pending) === 0 ? [] : [`${Math.max(...pending)} updates were pending`]),
    ...(identities.length === 0 ? [] : [`the image has ${identities.join(", ")}`]),
  ];
}

const FRESH_GOAL = 1.05;
const OLD_GOAL = 0.5;

async function nodeRows(
  options: Omit<Parameters<typeof measureScaleOut>[0], "isRenewed">,
  { base, own }: { readonly base: ScaleOut; readonly own: ScaleOut },
): Promise<{ readonly rows: readonly string[][]; readonly miss: string }> {
  const fresh = await measureScaleOut({ ...options, isRenewed: false, isFresh: true });
  const [old, ours, young] = [base, own, fresh].map(({ createdToReadyS }) => median(createdToReadyS));
  const share = (of = Number.NaN): string => ((ours ?? Number.NaN) / of).toFixed(2);
  const rows = [
    ["VM created → Node Ready, own image, median", `${ours?.toFixed(0)} s`, ""],
    [`… from a base image of today: ${young?.toFixed(0)} s`, `× ${share(young)}`, `at most ${FRESH_GOAL}`],
    [`… from a base image of 30 days: ${old?.toFixed(0)} s`, `× ${share(old)}`, `at most ${OLD_GOAL}`],
    ["boots from VM created to Node Ready, most", String(Math.max(...own.boots)), "1"],
    ["bytes pulled", String(own.bytesPulled), "0"],
    [
      `updates pending at the first boot, most (base: ${Math.max(...base.pending)})`,
      String(Math.max(...own.pending)),
      "0",
    ],
    ["paths of an identity and containers in the image", String(own.identities.length), "0"],
  ];
  return { rows, miss: oldMissText({ old, ours, updates: Math.max(...base.pending) }) };
}

/** Why a half is missed: the updates are what an image saves, and the rest is the creation and the boot of a machine. */
function oldMissText({
  old = Number.NaN,
  ours = Number.NaN,
  updates,
}: {
  readonly old: number | undefined;
  readonly ours: number | undefined;
  readonly updates: number;
}): string {
  if (ours / old <= OLD_GOAL) return "";
  const savedS = updates * UPDATES.secondsEach;
  const least = ((old - savedS) / old).toFixed(2);
  return `× ${(ours / old).toFixed(2)} of a base image of 30 days misses ${OLD_GOAL}: the ${updates} updates take ${savedS} of ${old.toFixed(0)} s, and no image shortens the creation and the boot of a machine, so × ${least} is the least in this model.`;
}

/** Why a goal is missed: an image on the disk saves the pull, and the start of the containers remains. */
function missText(
  bytes: number,
  rate: number,
  { before, after, pulled }: { readonly before: number; readonly after: number; readonly pulled: number },
): string {
  const pullS = bytes / rate;
  const most = Math.round((100 * pullS) / before);
  return `${bytes / GB} GB at ${rate / 1_000_000} MB/s misses ${GOAL * 100} %: the pull is ${pullS} of ${before.toFixed(0)} s, so ${most} % is the most that can be saved; ${pulled} bytes were pulled, and the other ${after.toFixed(0)} s are the start of the containers, which the simulator assumes.`;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

// The pool controller reads the scale set meanwhile, and writes it once.
const OF_RENEWAL =
  /(snapshots|disks|networkInterfaces|galleries\S*|virtualMachines|runCommands|poweroff|start)$/;
const WRITE = /^(PUT|PATCH|POST|DELETE) /;

/** How many of the pools wait for a renewal with nothing changed. */
const SKIPPING = 3;

async function renewals(): Promise<void> {
  const seconds: number[] = [];
  const requests: number[] = [];
  let skipped = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const world = await dailyPool(String(seed), 3, "8000h");
    await world.advance(HOUR_MS);
    const sent = (from: number, pattern: RegExp): number =>
      world.trace.events
        .slice(from)
        .filter(({ happening }) => happening.kind === "arm" && pattern.test(happening.operation)).length;
    const from = world.trace.events.length;
    await patch(world, AzureMachinePool, POOL, {
      metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } },
    });
    await untilRenewed(world, 14 * HOUR_MS);
    requests.push(sent(from, OF_RENEWAL));
    const [active] = stored(world)?.status?.nodePrototyping?.history ?? [];
    seconds.push(active?.outOfServiceSeconds ?? Number.NaN);
    if (seed > SKIPPING) continue;
    const still = world.trace.events.length;
    await patch(world, AzureMachinePool, POOL, {
      spec: { template: { image: { nodePrototyping: { interval: "1h" } } } },
    });
    await world.advance(HOUR_MS + 600_000);
    skipped += sent(still, WRITE);
  }
  printTable(
    ["40 renewals of a pool of three", "measured", "goal"],
    [
      ["donor out of service, p50", `${percentile(seconds, 0.5)} s`, ""],
      ["donor out of service, p95", `${percentile(seconds, 0.95)} s`, "at most 300 s"],
      ["requests to Azure a renewal, median", String(median(requests)), ""],
      ["writes to Azure of a renewal with nothing changed, a run command", String(skipped / SKIPPING), "1"],
    ],
  );
  if (skipped !== SKIPPING)
    throw new Error(`${SKIPPING} renewals with nothing changed wrote ${skipped} times`);
}

// Helpers and canaries exist for minutes.
const OF_A_RENEWAL = /-(scrub|canary)-\d/;

async function month(): Promise<void> {
  // One less than the largest scale set, which grows by one.
  const replicas = 999;
  const world = await dailyPool("1", replicas, "24h");
  const created = () =>
    world.trace.events.filter(
      ({ happening }) =>
        happening.kind === "machine" &&
        happening.event === "created" &&
        !OF_A_RENEWAL.test(happening.machine),
    ).length;
  let models = 0;
  let asked = replicas;
  for (let day = 0; day < 30; day++) {
    await world.advance(11 * HOUR_MS);
    await scaleTo(world, replicas + 1);
    asked += 1;
    await world.until(() => world.truth.census(CLUSTER).nodesReady === replicas + 1, 3 * HOUR_MS);
    await world.advance(HOUR_MS);
    await scaleTo(world, replicas);
    await world.until(() => world.truth.census(CLUSTER).nodes === replicas, 3 * HOUR_MS);
    await world.advance(10 * HOUR_MS);
    models = Math.max(models, modelsInUse(world));
  }
  const renewed = stored(world)?.status?.nodePrototyping?.history?.length ?? 0;
  printTable(
    ["a pool of 999 that grows to 1,000 and shrinks again daily, interval 24h, 30 days", "measured", "goal"],
    [
      ["machines created beyond those that were asked for", String(created() - asked), "0"],
      ["models in use, by Azure's count, most", String(models), "at most 2"],
      ["versions kept at the end", String(renewed), "at most 3"],
    ],
  );
}

function modelsInUse(world: Awaited<ReturnType<typeof dailyPool>>): number {
  const used = new Set<number>();
  for (const [, instance] of world.azure.core.world.scaleSets.instances.entries()) used.add(instance.model);
  for (const [, set] of world.azure.core.world.scaleSets.sets.entries()) used.add(set.modelVersion);
  return used.size;
}

for (const [index, part] of [scaleOuts, renewals, month].entries()) {
  const startMs = performance.now();
  await part();
  console.log(`(${Math.round((performance.now() - startMs) / 1000)} s)${index < 2 ? "\n" : ""}`);
}
