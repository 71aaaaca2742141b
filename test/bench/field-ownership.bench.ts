/**
 * What it costs to track who owns which field: the embedded API server in this process, objects in memory, with each
 * value of `fieldOwnership`. No request passes a socket, so the server does all of the work that is measured.
 */
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Handler } from "@capstan/env";
import { boat, COLLECTION, DEFINITION } from "./api-load.ts";
import { median, printTable } from "./table.ts";

const OBJECTS = 5_000;
const PATCHES = 10_000;
const ROUNDS = 5;
// In this order: code that has seen managers is a little slower for objects without them, too.
const MODES = ["applied", "all"] as const;

type Mode = (typeof MODES)[number];

interface Figures {
  readonly creates: number;
  readonly patches: number;
  readonly statusPatches: number;
  readonly kilobytes: number;
}

async function send(handle: Handler, method: string, path: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { "content-type": type, "user-agent": "bench" };
  const { status } = await handle({ method, path, headers, body: JSON.stringify(body) });
  if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
}

/** Requests in a second of CPU time, which other programs on the machine change little. */
async function perCpuSecond(count: number, request: (index: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) await request(index);
  const { user, system } = process.cpuUsage(before);
  return (1e6 * count) / (user + system);
}

async function measure(fieldOwnership: Mode): Promise<Figures> {
  const server = createApiServer({ env: createRealEnv(), kinds: builtInKinds, fieldOwnership });
  const { handle } = server;
  await send(handle, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION);
  const before = usedBytes();
  const creates = await perCpuSecond(OBJECTS, (index) => send(handle, "POST", COLLECTION, boat(index)));
  server.storage.forget(server.storage.resourceVersion);
  const kilobytes = (usedBytes() - before) / OBJECTS / 1024;
  const patch = (path: string, field: string) => (index: number) =>
    send(handle, "PATCH", `${COLLECTION}/boat-${index % OBJECTS}${path}`, {
      [field]: { counter: index + 1 },
    });
  const patches = await perCpuSecond(PATCHES, patch("", "spec"));
  const statusPatches = await perCpuSecond(PATCHES, patch("/status", "status"));
  server.close();
  return { creates, patches, statusPatches, kilobytes };
}

function usedBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function main(): Promise<void> {
  const figures: Record<Mode, Figures[]> = { all: [], applied: [] };
  // The first round compiles the code.
  for (const mode of MODES)
    for (let round = 0; round <= ROUNDS; round++) {
      const found = await measure(mode);
      if (round > 0) figures[mode].push(found);
    }
  const row = (name: string, field: keyof Figures, digits: number): string[] => [
    name,
    ...MODES.map((mode) => median(figures[mode].map((one) => one[field])).toFixed(digits)),
  ];
  printTable(
    ["", ...MODES],
    [
      row("create, /CPU s", "creates", 0),
      row("merge patch, /CPU s", "patches", 0),
      row("merge patch of the status, /CPU s", "statusPatches", 0),
      row("memory of an object, KB", "kilobytes", 1),
    ],
  );
}

await main();
