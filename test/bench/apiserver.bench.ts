/**
 * The embedded API server beside a real kube-apiserver with etcd, both durable, both over TLS, on the same machine in
 * the same run, with the same client. Both get the same load in turns; ratios above 1 mean that ours is better.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCapstan } from "../crash/capstan-process.ts";
import { startControlPlane } from "../kube/control-plane.ts";
import { BATCH, Load, type Subject } from "./api-load.ts";
import { median, printTable } from "./table.ts";

const SMALL = 10_000;
const LARGE = 30_000;
const WATCHERS = 100;
const UPDATES = 1_000;

interface Measured {
  readonly value: number;
  /** CPU seconds of the client. */
  readonly clientCpu: number;
}

type Row = Record<Subject["name"], Measured[]> & { readonly better: "more" | "less"; readonly unit: string };

const rows = new Map<string, Row>();

async function measure(
  subject: Subject,
  name: string,
  {
    unit,
    better = "less",
    work,
  }: { unit: string; better?: "more" | "less"; work: () => Promise<number> | number },
): Promise<void> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  const row = rows.get(name) ?? { capstan: [], "kube-apiserver": [], better, unit };
  row[subject.name].push({ value, clientCpu: (user + system) / 1e6 });
  rows.set(name, row);
  console.log(
    `${subject.name}: ${name}: ${value.toFixed(2)} ${unit}, client ${((user + system) / 1e6).toFixed(1)} CPU s`,
  );
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

interface Loaded {
  readonly subject: Subject;
  readonly load: Load;
}

/** Does the same to both, in turns. */
async function each(all: readonly Loaded[], work: (one: Loaded) => Promise<unknown>): Promise<void> {
  for (const one of all) await work(one);
}

const ROUNDS = 3;

/** Small requests first, interleaved in rounds; then the lists, which need more and more objects. */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-bench-"));
  const capstan = await startCapstan(join(folder, "data"));
  const kube = await startControlPlane({ durable: true });
  const subjects: Subject[] = [
    { name: "capstan", connect: () => capstan.connect(), memoryMb: () => residentMb([capstan.pid]) },
    {
      name: "kube-apiserver",
      connect: () => Promise.resolve(kube.connect()),
      memoryMb: () => residentMb(kube.pids),
    },
  ];
  try {
    const all = await Promise.all(
      subjects.map(async (subject) => ({ subject, load: new Load(await subject.connect()) })),
    );
    await each(all, ({ load }) => load.prepare());
    await each(all, ({ load }) => load.createBoats(0, 1_000));
    for (let round = 0; round < ROUNDS; round++) await each(all, (one) => smallRequests(one, round));
    for (let round = 0; round < ROUNDS; round++) await each(all, (one) => applies(one, round));
    await each(all, fanOut);
    await each(all, ({ load }) => load.createBoats(7_000, SMALL));
    for (let round = 0; round < ROUNDS; round++) await each(all, (one) => lists(one, SMALL));
    await each(all, ({ load }) => load.createBoats(SMALL, LARGE));
    for (let round = 0; round < ROUNDS; round++) await each(all, (one) => lists(one, LARGE));
    await each(all, memoryAndDeletion);
    await capstan.kill();
    await startUp(folder);
  } finally {
    await capstan.kill();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  report();
}

async function smallRequests({ subject, load }: Loaded, round: number): Promise<void> {
  const perSecond = { unit: "/s", better: "more" } as const;
  const from = 1_000 + round * 2_000;
  await measure(subject, "create, 16 at a time", {
    ...perSecond,
    work: () => load.createBoats(from, from + 2_000),
  });
  await measure(subject, "get, 16 at a time", { ...perSecond, work: () => load.getBoats(5_000) });
  await measure(subject, "merge patch, 16 at a time", { ...perSecond, work: () => load.patchBoats(2_000) });
}

const APPLIED = 500;
// Behind the boats of all other rows.
const FIRST_APPLIED = 100_000;

async function applies({ subject, load }: Loaded, round: number): Promise<void> {
  const perSecond = { unit: "/s", better: "more" } as const;
  const from = FIRST_APPLIED + round * APPLIED;
  await measure(subject, "apply that creates, 16 at a time", {
    ...perSecond,
    work: () => load.applyBoats(from, APPLIED, 0),
  });
  await measure(subject, "apply that changes nothing, 16 at a time", {
    ...perSecond,
    work: () => load.applyBoats(from, APPLIED, 0),
  });
  await measure(subject, "apply that changes a field, 16 at a time", {
    ...perSecond,
    work: () => load.applyBoats(from, APPLIED, 1),
  });
  await measure(subject, "merge patch checked by CEL rules, 16 at a time", {
    ...perSecond,
    work: () => load.patchRuledBoats(APPLIED, 1 + round * APPLIED),
  });
  await measure(subject, "apply with a conflict, 16 at a time", {
    ...perSecond,
    work: () => load.applyConflicts(from, APPLIED),
  });
}

async function fanOut({ subject, load }: Loaded): Promise<void> {
  const what = `${WATCHERS} watchers, ${UPDATES} updates: delivery`;
  let delays: number[] = [];
  await measure(subject, `${what} p50`, {
    unit: "ms",
    work: async () => percentile((delays = await load.fanOut(WATCHERS, UPDATES)), 0.5),
  });
  await measure(subject, `${what} p99`, { unit: "ms", work: () => percentile(delays, 0.99) });
}

async function memoryAndDeletion({ subject, load }: Loaded): Promise<void> {
  await measure(subject, `memory with ${LARGE} objects`, { unit: "MB", work: () => subject.memoryMb() });
  for (let batch = 1; batch <= ROUNDS; batch++)
    await measure(subject, `delete collection of ${BATCH}`, {
      unit: "ms",
      work: () => load.deleteBatch(batch),
    });
}

async function lists({ subject, load }: Loaded, count: number): Promise<void> {
  await measure(subject, `list ${count}, pages of 500`, { unit: "ms", work: () => load.list(500) });
  await measure(subject, `list ${count}, whole`, { unit: "ms", work: () => load.list(undefined) });
}

/** From the command to `/readyz` over TLS; for both the second start on their data. */
async function startUp(folder: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    const capstan = await startCapstan(join(folder, "data"));
    const transport = await capstan.connect();
    const answer = await transport.request({ method: "GET", path: "/readyz", headers: {} });
    await answer.text();
    rows.set(
      "start-up",
      rows.get("start-up") ?? { capstan: [], "kube-apiserver": [], better: "less", unit: "ms" },
    );
    rows.get("start-up")?.capstan.push({ value: performance.now() - startedMs, clientCpu: 0 });
    await transport.close();
    await capstan.kill();
    const kube = await startControlPlane({ durable: true });
    rows.get("start-up")?.["kube-apiserver"].push({ value: kube.startedAfterMs, clientCpu: 0 });
    await kube.stop();
  }
}

function residentMb(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return sum + Number(kb) / 1024;
  }, 0);
}

function report(): void {
  const ratios: number[] = [];
  const lines = [...rows].map(([name, row]) => {
    const [ours, theirs] = [row.capstan, row["kube-apiserver"]].map((all) => ({
      value: median(all.map(({ value }) => value)),
      cpu: median(all.map(({ clientCpu }) => clientCpu)),
    })) as [{ value: number; cpu: number }, { value: number; cpu: number }];
    const ratio = row.better === "more" ? ours.value / theirs.value : theirs.value / ours.value;
    ratios.push(ratio);
    const digits = Math.max(ours.value, theirs.value) < 100 ? 1 : 0;
    return [
      `${name}, ${row.unit}`,
      ours.value.toFixed(digits),
      theirs.value.toFixed(digits),
      ratio.toFixed(2),
      `${ours.cpu.toFixed(1)} / ${theirs.cpu.toFixed(1)}`,
    ];
  });
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  const bold = [`**geometric mean**`, "", "", `**${mean.toFixed(2)}**`, ""];
  console.log();
  printTable(["", "capstan", "kube-apiserver + etcd", "ratio", "client CPU s"], [...lines, bold]);
  console.log(
    `\nlowest ratio ${Math.min(...ratios).toFixed(2)}; ${execFileSync("nproc", { encoding: "utf8" }).trim()} cores, Node ${process.version}`,
  );
}

await main();
