/**
 * An upgrade from release 0.1 on a real kube-apiserver: `capstan init`, and a real manager that is killed at the writes of its
 * migration. kube-apiserver reaches the manager only while it is ready.
 */
import {
  type CustomKind,
  CustomResourceDefinition,
  type Frozen,
  type KubernetesObject,
  Lease,
} from "@capstan/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installedKinds } from "../../packages/cli/src/install/names.ts";
import { killAll } from "../journeys/capstan.ts";
import { runsAll } from "../sample.ts";
import { readObjects } from "../upgrade/data-rows.ts";
import { definitionStoring, inVersion } from "../upgrade/flip.ts";
import { ownersOf } from "../upgrade/applied-part.ts";
import { collectsGarbage } from "./garbage.ts";
import { eventually, type Management, type RunningManager, startManagement } from "./management.ts";
import { type Fate, type ProxiedWrite, type RequestProxy, startRequestProxy } from "./request-proxy.ts";

const FIXTURE = "test/upgrade/fixture-0.1-updating";

/** The kinds that 0.1 stored in another version than this release. */
const MIGRATED = installedKinds.filter(({ group }) => !group.startsWith("infrastructure."));
const storedBefore = ({ converted, version }: CustomKind): string => converted[0]?.version ?? version;

let management: Management;
let proxy: RequestProxy;
let manager: RunningManager | undefined;
beforeAll(async () => {
  management = await startManagement();
  proxy = await startRequestProxy(management.plane, { fateOf, kill: () => manager?.child.kill("SIGKILL") });
});
afterAll(async () => {
  killAll();
  await proxy.close();
  await management.stop();
});

/** The writes of the migration that a manager has tried, and what happened to the last attempt. */
const tried = new Map<string, Fate>();

/** In a soak the manager is killed before and after each write; in the gate after one, between objects of one kind. */
const SAMPLED = 8;

function fateOf(write: ProxiedWrite): Fate {
  const point = pointOf(write);
  if (point === undefined) return "forward";
  const last = tried.get(point);
  const fate = last === undefined ? firstFate() : last === "killBefore" ? "killAfter" : "forward";
  tried.set(point, fate);
  return fate;
}

function firstFate(): Fate {
  if (runsAll) return "killBefore";
  return tried.size === SAMPLED ? "killAfter" : "forward";
}

/** What a write of the migration changes: an object that is stored again, or a CRD that gets trust or is done. */
function pointOf({ method, path, body }: ProxiedWrite): string | undefined {
  if (method !== "PATCH") return undefined;
  if (path.includes("/customresourcedefinitions/")) return `${path} ${body.includes("caBundle")}`;
  return body === "{}" || body.includes('"managedFields":') ? path : undefined;
}

/** The objects of 0.1, in namespaces of a paused cluster: what its machines are is not the question here. */
const objects = readObjects(FIXTURE, "management")
  .filter(({ resource }) => installedKinds.some(({ group, plural }) => resource === `${group}/${plural}`))
  .map(({ resource, body }) => ({ resource, object: paused(body as unknown as KubernetesObject) }));

function paused(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "Cluster") return object;
  return { ...object, spec: { ...(object as { spec?: object }).spec, paused: true } } as KubernetesObject;
}

/** A management cluster as 0.1 has left it: definitions of one version, and objects stored in it. */
async function storeBefore(): Promise<void> {
  const { client, plane } = management;
  await Promise.all(
    installedKinds.map(async (kind) => {
      const version = storedBefore(kind);
      const { spec, ...definition } = definitionStoring(kind, version);
      const { conversion: _, versions, ...rest } = spec;
      const older = { ...rest, versions: versions.filter(({ name }) => name === version) };
      await client.create(CustomResourceDefinition, { ...definition, spec: older });
      await eventually(async () => void (await client.list(inVersion(kind, version))));
    }),
  );
  for (const { resource, object } of objects) await plane.store(resource, object);
  const [machines] = MIGRATED.filter(({ kind }) => kind === "Machine");
  await eventually(async () => expect(await listed(machines as CustomKind)).toHaveLength(5));
}

const listed = (kind: CustomKind, version = storedBefore(kind)) =>
  management.client.list(inVersion(kind, version));

async function isMigrated(): Promise<boolean> {
  const definitions = await management.client.list(CustomResourceDefinition);
  return definitions.every(({ spec, status }) => {
    const stored = spec.versions.find(({ storage }) => storage)?.name;
    return status?.storedVersions?.length === 1 && status.storedVersions[0] === stored;
  });
}

/** Runs one manager after the other, each until it is killed, and the last one until the migration has ended. */
async function liveThrough(installing: Promise<unknown>): Promise<number> {
  const { client, startManager } = management;
  let isInstalled = false;
  void installing.then(() => (isInstalled = true));
  for (let lives = 1; ; lives++) {
    await eventually(async () => void (manager = await startManager(proxy)));
    const { child } = manager as RunningManager;
    const garbage = collectsGarbage(client, `life-${lives}`);
    await eventually(async () => {
      const isDone = isInstalled && (await isMigrated());
      expect(isDone || child.signalCode !== null).toBe(true);
      expect(child.exitCode).toBeNull();
    });
    await garbage;
    if (child.signalCode === null) return lives;
    // As if it had expired: a manager that was killed does not release its Lease, and the next one would wait for 15 s.
    await client.delete(Lease, { name: "capstan", namespace: "capstan-system" }).catch(() => undefined);
  }
}

/** What must be the same before and after. */
const identities = (some: readonly Frozen<KubernetesObject>[]): readonly string[] =>
  some.map(({ metadata: { name, uid, generation } }) => `${name} ${uid} generation ${generation}`).toSorted();

/** In a soak, each of about sixty lives takes 10 s. */
const LIMIT_MS = runsAll ? 1_800_000 : 120_000;

test(
  "an upgrade from 0.1 ends although the manager is killed at its writes, and garbage is collected meanwhile",
  async () => {
    await storeBefore();
    const { plane, capstan } = management;
    const installing = capstan("init", "--kubeconfig", plane.kubeconfig, "--image", "capstan:test");
    const lives = await liveThrough(installing);
    const { code, out, err } = await installing;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/Waiting for the manager to convert objects of \d+ CRDs/);
    const probe = { name: "conversionprobes.capstan.dev" };
    expect(await management.client.find(CustomResourceDefinition, probe)).toBeUndefined();
    console.log(`sample: kills of a manager that migrates: ${lives - 1} of ${2 * tried.size}`);
    expect(lives).toBeGreaterThan(1);
    for (const kind of MIGRATED) {
      const before = objects
        .filter(({ resource }) => resource === `${kind.group}/${kind.plural}`)
        .map(({ object }) => object);
      const served = [kind.version, ...kind.converted.map(({ version }) => version)];
      for (const version of served) {
        const after = await listed(kind, version);
        expect(identities(after)).toEqual(identities(before));
        const owners = after.flatMap((object) => ownersOf(object).map(({ apiVersion }) => apiVersion));
        const others = owners.filter((owner) => !served.includes(owner.slice(kind.group.length + 1)));
        expect(others).toEqual([]);
      }
    }
  },
  LIMIT_MS,
);
