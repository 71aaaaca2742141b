/** A data directory of release 0.1 starts with this one: its objects are migrated, and no machine is touched. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AzureMachine,
  AzureMachinePoolMachine,
  Cluster,
  CustomResourceDefinition,
  KubeadmConfig,
  KubeadmControlPlane,
  type Kind,
  Machine,
  MachineDeployment,
  MachineSet,
  Secret,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { killAll, launch } from "../journeys/capstan.ts";
import { runsAll } from "../sample.ts";
import { loadRows, readObjects } from "./data-rows.ts";
import { startOn } from "./started.ts";

const FIXTURE = "test/upgrade/fixture-0.1";
const env = createRealEnv();
const folder = mkdtempSync(join(tmpdir(), "capstan-upgrade-"));
const dataDir = join(folder, "data");
afterEach(killAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What must be the same objects before and after. */
const KEPT: readonly Kind[] = [
  Cluster,
  KubeadmControlPlane,
  MachineDeployment,
  MachineSet,
  Machine,
  KubeadmConfig,
  AzureMachine,
  AzureMachinePoolMachine,
];
const WITHIN = { timeout: 60_000, interval: 200 };

/** The requests to the simulated Azure since the start: when, and with which method and operation. */
async function calls(): Promise<readonly { readonly atMs: number; readonly operation: string }[]> {
  const { out } = await launch(["sim", "journal", "--data-dir", dataDir]).ended;
  return [...out.matchAll(/^(\S+Z) +\S+ +(\S+ \S+)/gm)].map(([, time = "", operation = ""]) => ({
    atMs: Date.parse(time),
    operation,
  }));
}

/** The uid and the spec of everything that a roll would replace; bootstrap texts too. */
async function machines(client: Client): Promise<Readonly<Record<string, unknown>>> {
  const lists = await Promise.all(
    KEPT.map(async (kind) => [kind.plural, (await client.list(kind)).map(identity)] as const),
  );
  const secrets = (await client.list(Secret)).filter(({ type }) => type === "cluster.x-k8s.io/secret");
  const texts = secrets
    .filter(({ metadata }) => !metadata.name.endsWith("-kubeconfig"))
    .map(({ metadata, data }) => [metadata.name, data]);
  return { ...Object.fromEntries(lists), texts: Object.fromEntries(texts) as unknown };
}

function identity(object: object): unknown {
  const { metadata, spec } = object as {
    metadata: { name: string; uid?: string; generation?: number };
    spec?: unknown;
  };
  const { name, uid, generation } = metadata;
  return { name, uid, generation, spec };
}

/** The identities in the fixture. */
function stored(): readonly string[] {
  const kept = new Set(KEPT.map(({ group, plural }) => `${group}/${plural}`));
  return readObjects(FIXTURE, "management")
    .filter(({ resource }) => kept.has(resource))
    .map(({ body }) => (body["metadata"] as { uid: string }).uid)
    .toSorted();
}

const uidsIn = (found: Readonly<Record<string, unknown>>): readonly string[] =>
  [...JSON.stringify(found).matchAll(/"uid":"([^"]+)","generation"/g)].map(([, uid = ""]) => uid).toSorted();

/** Pools of AKS are written once after 0.1: `enableAutoScaling: false`, which Azure has already, is stated since then. */
const POOL = "PUT managedClusters/agentPools";
const AKS_POOLS = 2;

/** Azure's operations that change nothing, although one of them is a POST. */
const isRead = (operation: string): boolean => /^(GET|LIST) |listclusteradmincredential/.test(operation);

test("a data directory of 0.1 is migrated at the first start, and rolls nothing at any", async () => {
  loadRows(FIXTURE, { dataDir, nowMs: env.clock.now(), speed: 60 });
  let first: Readonly<Record<string, unknown>> | undefined;
  let restated = 0;
  for (const attempt of [1, 2]) {
    const { running, client } = await startOn(dataDir);
    const found = await machines(client);
    expect(uidsIn(found), `start ${attempt}`).toEqual(stored());
    first ??= found;
    // Every controller has looked at Azure; in a soak, once more after its longest pause of ten minutes.
    await vi.waitFor(async () => {
      const times = (await calls()).map(({ atMs }) => atMs);
      expect(times.length).toBeGreaterThan(30);
      if (runsAll) expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(9 * 60_000);
    }, WITHIN);
    const writes = (await calls()).map(({ operation }) => operation).filter((one) => !isRead(one));
    expect(writes.filter((operation) => operation !== POOL)).toEqual([]);
    restated += writes.length;
    expect(restated).toBeLessThanOrEqual(AKS_POOLS);
    expect(await machines(client), `start ${attempt}`).toEqual(first);
    for (const { metadata, spec, status } of await client.list(CustomResourceDefinition))
      expect([metadata.name, status?.storedVersions]).toEqual([
        metadata.name,
        spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
      ]);
    running.child.kill(attempt === 1 ? "SIGKILL" : "SIGTERM");
    await running.ended;
  }
});
