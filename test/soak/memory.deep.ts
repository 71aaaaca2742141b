/**
 * The memory of `capstan up` while clusters of all four systems come and go: pools, machines, control planes and AKS. A round is about
 * an hour of the simulation; only the soak has enough of them to see a slope.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  AzureManagedControlPlane,
  Cluster,
  type Kind,
  KubeadmControlPlane,
  type KubernetesObject,
  MachineDeployment,
  MachinePool,
  parseYaml,
  Secret,
  servedKind,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient, deleteIfExists } from "@capstan/runtime";
import { afterAll, expect, test } from "vitest";
import { connect, savedAccess } from "../../packages/cli/src/cluster/transport.ts";
import { run } from "../../packages/cli/src/program.ts";
import { testShell } from "../../packages/cli/src/shell.fixture.ts";
import { runsAll } from "../sample.ts";
import { lowestOfEach, slopeOf } from "./slope.ts";

const { clock } = createRealEnv();
const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");
const FOLDERS = ["machine-pool", "machine-deployment", "ha-cluster", "aks"];
const SPEED = 60;
const NAMESPACE = "default";
const PATIENCE_MS = 10 * 60_000;
const POLL_MS = 500;
/** The first rounds load code, and fill the histories of changes, which are kept for up to ten minutes. */
const WARM_UP_ROUNDS = 15;
const ROUNDS = Number(process.env["CAPSTAN_ROUNDS"] ?? 60);
/** A round takes most of a minute, and histories are cut every five: only the lowest of so many rounds are compared. */
const ROUNDS_PER_CUT = 9;
// The objects of one cluster with their texts take more than this.
const MOST_KB_A_ROUND = 300;

const root = mkdtempSync(join(tmpdir(), "capstan-memory-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The memory that is in use after a garbage collection, in KB. */
function heapKb(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return Math.round(process.memoryUsage().heapUsed / 1024);
}

function manifests(): readonly KubernetesObject[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(EXAMPLES, folder))
      .filter((name) => name.endsWith(".yaml"))
      .flatMap((name) => readFileSync(join(EXAMPLES, folder, name), "utf8").split(/^---$/m))
      .map((text) => parseYaml(text) as KubernetesObject),
  );
}

function kindOfObject({ apiVersion, kind }: KubernetesObject): Kind {
  const found = kind === Secret.kind ? Secret : servedKind(apiVersion, kind);
  if (!found) throw new Error(`the examples have no kind ${kind}`);
  return found;
}

/** Waits until something holds on the server. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = clock.monotonic() + PATIENCE_MS;
  while (!(await holds())) {
    if (clock.monotonic() > endMs) throw new Error(`after ${PATIENCE_MS / 60_000} minutes, not ${what}`);
    await clock.sleep(POLL_MS);
  }
}

interface Counted extends KubernetesObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number; readonly upToDateReplicas?: number };
}

/** Whether all machines are ready, those of AKS with their control plane. */
async function areReady(client: Client): Promise<boolean> {
  for (const kind of [MachinePool, MachineDeployment, KubeadmControlPlane] as readonly Kind[]) {
    const owners = (await client.list(kind, { namespace: NAMESPACE })) as unknown as readonly Counted[];
    if (owners.some(({ spec, status }) => (status?.readyReplicas ?? 0) !== (spec.replicas ?? 1)))
      return false;
  }
  const planes = await client.list(AzureManagedControlPlane, { namespace: NAMESPACE });
  return planes.every(({ status }) => status?.ready === true);
}

/** Clusters of all systems are created, their workers scaled, and everything deleted. */
async function round(client: Client, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) await client.create(kindOfObject(object), object);
  await until("ready", () => areReady(client));
  const larger = { type: "merge", body: { spec: { replicas: 4 } } } as const;
  await client.patch(MachinePool, { name: "workers", namespace: NAMESPACE }, larger);
  await client.patch(MachineDeployment, { name: "pier-workers", namespace: NAMESPACE }, larger);
  await until("scaled", () => areReady(client));
  const clusters = await client.list(Cluster, { namespace: NAMESPACE });
  for (const { metadata } of clusters) await client.delete(Cluster, metadata);
  await until("deleted", async () => (await client.list(Cluster, { namespace: NAMESPACE })).length === 0);
  for (const object of objects) await deleteIfExists(client, kindOfObject(object), object.metadata);
}

test.runIf(runsAll)(
  "the memory of capstan up does not grow in an hour of clusters that come and go",
  async () => {
    const shell = testShell();
    const ended = run(
      ["up", "--port", "0", "--azure-port", "0", "--data-dir", root, "--speed", String(SPEED)],
      shell,
    );
    await until("up", () => Promise.resolve(shell.written.out.includes("Ctrl-C")));
    const access = savedAccess(root, "management");
    if (!access) throw new Error("a server that is ready has a kubeconfig");
    const transport = connect(access);
    const client = createClient({ env: shell.env, transport, fieldManager: "user" });
    const objects = manifests();
    const startedMs = clock.monotonic();
    const used: number[] = [];
    for (let count = 1; count <= ROUNDS; count++) {
      await round(client, objects);
      // What is remembered for a while is forgotten.
      await clock.sleep((30 * 60_000) / SPEED);
      used.push(heapKb());
      console.log(`round ${count}: ${used.at(-1)} KB in use`);
    }
    await transport.close();
    shell.interrupt();
    expect(await ended).toBe(0);
    const lows = lowestOfEach(used.slice(WARM_UP_ROUNDS), ROUNDS_PER_CUT);
    const slope = slopeOf(lows) / ROUNDS_PER_CUT;
    const hours = ((clock.monotonic() - startedMs) / 3_600_000).toFixed(1);
    console.log(
      `sample: memory of capstan up: ${slope.toFixed(0)} KB a round, in ${ROUNDS} rounds, ${hours} hours of the clock, ${SPEED} times as many of the simulation`,
    );
    expect(slope).toBeLessThan(MOST_KB_A_ROUND);
  },
);
