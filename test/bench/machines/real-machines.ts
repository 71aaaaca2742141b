import { setTimeout as sleep } from "node:timers/promises";
import { Machine, MachineDeployment } from "@capstan/api";
import { requestsOf } from "../../kube/management.ts";
import {
  createDeployment,
  DEPLOYMENT,
  startTestMachines,
  type TestMachines,
} from "../../kube/test-machines.ts";
import { printTable } from "../table.ts";

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);
const NO_WORK: ReadonlySet<string> = new Set(["events", "leases"]);
const LOOK_MS = 250;

/** What upstream did on such a machine, and the goal. */
interface Beside {
  readonly upstream: string;
  readonly goal: string;
}

/** A MachineDeployment on a real kube-apiserver in real time, with upstream's in-memory latencies: VM 10 s, Node 2 s. */
export async function realMachines(machines: number): Promise<void> {
  // As in upstream's provider, a VM is deleted at once.
  const management = await startTestMachines({ vmMs: 10_000, nodeMs: 2_000, deletionMs: 0 });
  try {
    const { client } = management;
    await createDeployment(client, 1, "10%");
    await allAvailable(management, 1);
    const rows = [
      await measured(management, `1 to ${machines}`, CREATE, async () => {
        const body = { spec: { replicas: machines } };
        await client.patch(MachineDeployment, DEPLOYMENT, { type: "merge", body });
        await allAvailable(management, machines);
        return machines - 1;
      }),
      await measured(management, `roll ${machines}, surge 10 %`, ROLL, async () => {
        const body = { spec: { template: { spec: { version: "v1.33.6" } } } };
        await client.patch(MachineDeployment, DEPLOYMENT, { type: "merge", body });
        await allAvailable(management, machines);
        return machines;
      }),
    ];
    const heads = ["real kube-apiserver", "s", "writes a machine", "CPU s", "upstream", "goal"];
    printTable(
      heads,
      rows.map(({ cells }) => cells),
    );
    console.log();
    printWrites(rows);
  } finally {
    await management.stop();
  }
}

const CREATE: Beside = { upstream: "121 s, 52 writes, 32 CPU s", goal: "40 s, 16 writes, 8 CPU s" };
const ROLL: Beside = { upstream: "372 s, 95 writes, 126 CPU s", goal: "150 s, 28 writes, 25 CPU s" };

interface Measured {
  readonly work: string;
  readonly machines: number;
  /** The writes of the manager, each as its verb and its resource. */
  readonly writes: readonly string[];
  readonly cells: readonly string[];
}

async function measured(
  { plane }: TestMachines,
  work: string,
  { upstream, goal }: Beside,
  run: () => Promise<number>,
): Promise<Measured> {
  const before = writesTo(plane).length;
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const machines = await run();
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const writes = writesTo(plane).slice(before);
  const cpuSeconds = ((user + system) / 1e6).toFixed(1);
  const each = (writes.length / machines).toFixed(1);
  return { work, machines, writes, cells: [work, seconds.toFixed(0), each, cpuSeconds, upstream, goal] };
}

/** Which writes a machine costs. */
function printWrites(rows: readonly Measured[]): void {
  const names = [...new Set(rows.flatMap(({ writes }) => writes))].toSorted();
  printTable(
    ["writes a machine", ...rows.map(({ work }) => work)],
    names.map((name) => [
      name,
      ...rows.map(({ writes, machines }) =>
        (writes.filter((one) => one === name).length / machines).toFixed(2),
      ),
    ]),
  );
}

/** The writes of the manager, without those of the provider, events and Leases. */
export function writesTo(plane: TestMachines["plane"]): readonly string[] {
  return writesOf(plane, "capstan");
}

/** The same of the provider. */
export function providerWritesTo(plane: TestMachines["plane"]): readonly string[] {
  return writesOf(plane, "test-provider");
}

function writesOf(plane: TestMachines["plane"], client: string): readonly string[] {
  return requestsOf(plane, "admin")
    .filter(
      ({ verb, userAgent = "", objectRef }) =>
        WRITES.has(verb) && userAgent.startsWith(client) && !NO_WORK.has(objectRef?.resource ?? ""),
    )
    .map(({ verb, objectRef }) => {
      const { resource = "", subresource } = objectRef ?? {};
      return [verb, subresource === undefined ? resource : `${resource}/${subresource}`].join(" ");
    });
}

async function allAvailable({ client }: TestMachines, count: number): Promise<void> {
  for (;;) {
    const { metadata, status } = await client.get(MachineDeployment, DEPLOYMENT);
    const isDone =
      status?.observedGeneration === metadata.generation &&
      status?.availableReplicas === count &&
      status.upToDateReplicas === count;
    if (isDone && (await client.list(Machine)).length === count) return;
    await sleep(LOOK_MS);
  }
}
