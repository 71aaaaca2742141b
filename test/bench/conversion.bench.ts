/**
 * What the older version of a kind costs: 1,000 MachineDeployments in the embedded API server in this process, read and
 * written in the stored version and in v1beta1, and the conversion alone. No request passes a socket, so the server does all
 * of the work that is measured.
 */
import { customKinds, type JsonObject, MachineDeployment } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Handler } from "@capstan/env";
import { machineDeployment } from "@capstan/runtime/testing/builders";
import { pairOf } from "../conversion/kind-objects.ts";
import { median, printTable } from "./table.ts";

const OBJECTS = 1_000;
const READS = 5_000;
const PATCHES = 2_000;
const LISTS = 10;
const ROUNDS = 5;
const VERSIONS = ["v1beta2", "v1beta1"] as const;

type Version = (typeof VERSIONS)[number];
type Row = "get, /s" | "list of 1,000, ms" | "merge patch, /s";
type Figures = Readonly<Record<Row, number>>;

const pathOf = (version: Version): string =>
  `/apis/cluster.x-k8s.io/${version}/namespaces/default/machinedeployments`;

async function send(handle: Handler, method: string, path: string, body?: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await handle({
    method,
    path,
    headers: { "content-type": type },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
  await response.text();
}

/** The seconds of CPU time of some work, which other programs on the machine change little. */
async function cpuSeconds(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const deployments = Array.from({ length: OBJECTS }, (_, index) =>
  machineDeployment({
    metadata: { name: `workers-${index}`, namespace: "default" },
    spec: { template: { spec: { deletion: { nodeDrainTimeoutSeconds: 300 }, version: "v1.34.1" } } },
  }),
);

async function requests(handle: Handler, version: Version): Promise<Figures> {
  const path = pathOf(version);
  const each = (count: number, request: (index: number) => Promise<void>): Promise<number> =>
    cpuSeconds(async () => {
      for (let index = 0; index < count; index++) await request(index % OBJECTS);
    });
  const gets = await each(READS, (index) => send(handle, "GET", `${path}/workers-${index}`));
  const lists = await each(LISTS, () => send(handle, "GET", path));
  let replicas = 0;
  const patches = await each(PATCHES, (index) =>
    send(handle, "PATCH", `${path}/workers-${index}`, { spec: { replicas: ++replicas } }),
  );
  return {
    "get, /s": READS / gets,
    "list of 1,000, ms": (1000 * lists) / LISTS,
    "merge patch, /s": PATCHES / patches,
  };
}

/** The milliseconds of the conversion of all objects, down and up. */
async function conversions(): Promise<{ readonly down: number; readonly up: number }> {
  const pair = pairOf(MachineDeployment);
  if (!pair) throw new Error("MachineDeployment has one version only");
  const context = { versionOf: () => "v1beta1" };
  let older: readonly JsonObject[] = [];
  const down = await cpuSeconds(() => {
    older = deployments.map((object) => pair.down(object as unknown as JsonObject, context).object);
  });
  const up = await cpuSeconds(() => {
    for (const object of older) pair.up(object, context);
  });
  return { down: 1000 * down, up: 1000 * up };
}

async function main(): Promise<void> {
  const server = createApiServer({ env: createRealEnv(), kinds: [...builtInKinds, ...customKinds] });
  for (const deployment of deployments) await send(server.handle, "POST", pathOf("v1beta2"), deployment);
  const rounds: Record<Version, Figures[]> = { v1beta2: [], v1beta1: [] };
  const alone: { readonly down: number; readonly up: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const version of VERSIONS) rounds[version].push(await requests(server.handle, version));
    alone.push(await conversions());
  }
  server.close();
  report(rounds, alone);
}

function report(
  rounds: Record<Version, readonly Figures[]>,
  alone: readonly { readonly down: number; readonly up: number }[],
): void {
  const rows: readonly Row[] = ["get, /s", "list of 1,000, ms", "merge patch, /s"];
  printTable(
    ["per CPU second", ...VERSIONS, "v1beta1 / v1beta2"],
    rows.map((row) => {
      const [newer = 0, older = 0] = VERSIONS.map((version) =>
        median(rounds[version].map((figures) => figures[row])),
      );
      return [row, newer.toFixed(0), older.toFixed(0), (older / newer).toFixed(2)];
    }),
  );
  const down = median(alone.map((one) => one.down));
  const up = median(alone.map((one) => one.up));
  console.log(`\nConversion of ${OBJECTS} objects: ${down.toFixed(0)} ms down, ${up.toFixed(0)} ms up`);
}

await main();
