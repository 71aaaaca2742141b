/** Objects that an earlier release stored in another version, on the embedded server. */
import {
  customKinds,
  CustomResourceDefinition,
  MachineHealthCheck,
  type CustomKind,
  type JsonObject,
  type KubernetesObject,
} from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage, type Storage } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest, TransportError } from "@capstan/env";
import { migrateStoredVersions } from "@capstan/manager";
import { type Client, createClient, silentLogger } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { definitionStoring, inVersion, NEWER, OLDER, plain } from "./flip.ts";

const env = createRealEnv();
const NAMES = ["a", "b", "c"];
const NAME = "machinehealthchecks.cluster.x-k8s.io";
const Older = inVersion(MachineHealthCheck, OLDER);
const Newer = inVersion(MachineHealthCheck, NEWER);

interface Bench {
  readonly storage: Storage;
  readonly client: Client;
  /** The writes so far. */
  readonly writes: string[];
  /** Ends the process before or after its write of this number, counted from now. */
  crash(write: number, when: "before" | "after"): void;
}

const isRead = ({ method }: HttpRequest): boolean => method === "GET";

function bench(): Bench {
  const storage = createMemoryStorage();
  const { handle } = createApiServer({ env, kinds: builtInKinds, rules: customKinds.map(plain), storage });
  const writes: string[] = [];
  let fault: { write: number; when: string } | undefined;
  const request = async (asked: HttpRequest): ReturnType<typeof handle> => {
    if (isRead(asked)) return handle(asked);
    const isFatal = fault !== undefined && --fault.write === 0;
    if (isFatal && fault?.when === "before") throw new TransportError("refused", "killed");
    const answer = await handle(asked);
    writes.push(`${asked.method} ${asked.path.split("?")[0] ?? ""}`);
    if (isFatal) throw new TransportError("reset", "killed");
    return answer;
  };
  const transport = { request, close: () => Promise.resolve() };
  return {
    storage,
    client: createClient({ env, transport, fieldManager: "capstan" }),
    writes,
    crash: (write, when) => {
      fault = { write, when };
    },
  };
}

const check = (name: string): KubernetesObject & { spec: object } => ({
  apiVersion: Older.apiVersion,
  kind: "MachineHealthCheck",
  metadata: { name, namespace: "default", labels: { app: name } },
  spec: {
    clusterName: "pier",
    selector: { matchLabels: { a: "b" } },
    // In Go's own form: seconds are stored from now on, so other spellings become this one.
    nodeStartupTimeout: "20m0s",
    maxUnhealthy: "40%",
    unhealthyConditions: [{ type: "Ready", status: "Unknown", timeout: "5m0s" }],
  },
});

/** A server with objects of another release, which stored the other version, after the CRD of this one was installed. */
async function upgraded(): Promise<Bench> {
  const server = bench();
  const { client } = server;
  await client.create(CustomResourceDefinition, definitionStoring(MachineHealthCheck, OLDER));
  for (const name of NAMES)
    await client.patch(
      Older,
      { name, namespace: "default" },
      { type: "apply", body: check(name), fieldManager: "gitops" },
    );
  const stored = await client.get(CustomResourceDefinition, { name: NAME });
  const { spec } = definitionStoring(MachineHealthCheck, NEWER);
  await client.update(CustomResourceDefinition, { ...stored, spec });
  server.writes.length = 0;
  return server;
}

const versionsInStorage = ({ storage }: Bench): string[] =>
  NAMES.map(
    (name) =>
      storage.get({ resource: "cluster.x-k8s.io/machinehealthchecks", namespace: "default", name })
        ?.apiVersion ?? "",
  );
const all = (version: string): string[] => NAMES.map(() => `cluster.x-k8s.io/${version}`);
const storedVersions = async ({ client }: Bench): Promise<unknown> =>
  (await client.get(CustomResourceDefinition, { name: NAME })).status?.storedVersions;
const migrate = ({ client }: Bench): Promise<readonly string[]> =>
  migrateStoredVersions({ client, log: silentLogger });

/** All objects in all versions, without what a rewrite may change. */
async function shown({ client }: Bench): Promise<unknown> {
  const read = async (kind: CustomKind): Promise<unknown> =>
    (await client.list(kind)).map(({ metadata: { resourceVersion: _, ...metadata }, ...rest }) => ({
      ...rest,
      metadata,
    }));
  return Promise.all([Older, Newer].map(read));
}

describe("objects of another stored version", () => {
  test("are stored in the new one, each by one write, and nothing of them changes", async () => {
    const server = await upgraded();
    const before = await shown(server);
    expect([versionsInStorage(server), await storedVersions(server)]).toEqual([all(OLDER), [OLDER, NEWER]]);
    expect(await migrate(server)).toEqual([]);
    expect([versionsInStorage(server), await storedVersions(server)]).toEqual([all(NEWER), [NEWER]]);
    expect(await shown(server)).toEqual(before);
    expect(server.writes).toHaveLength(NAMES.length + 1);
  });

  test("are not written again once they are migrated", async () => {
    const server = await upgraded();
    await migrate(server);
    const { resourceVersion } = server.storage;
    server.writes.length = 0;
    expect(await migrate(server)).toEqual([]);
    expect([server.writes, server.storage.resourceVersion]).toEqual([[], resourceVersion]);
  });

  test.each(["before", "after"] as const)(
    "survive a crash %s each write of their migration",
    async (when) => {
      for (let write = 1; write <= NAMES.length + 1; write++) {
        const server = await upgraded();
        const before = await shown(server);
        server.crash(write, when);
        await expect(migrate(server), `write ${write}`).rejects.toThrow("killed");
        expect(await shown(server), `after write ${write}`).toEqual(before);
        expect(await migrate(server)).toEqual([]);
        expect([versionsInStorage(server), await storedVersions(server)]).toEqual([all(NEWER), [NEWER]]);
        expect(await shown(server)).toEqual(before);
      }
    },
  );

  test("keep all of their fields when a client of the older version writes before the migration", async () => {
    const server = await upgraded();
    const { client } = server;
    const name = { name: "a", namespace: "default" };
    await client.patch(Older, name, { type: "merge", body: { spec: { maxUnhealthy: "20%" } } });
    const key = { resource: "cluster.x-k8s.io/machinehealthchecks", ...name };
    const stored = server.storage.get(key) as JsonObject | undefined;
    // Exactly as if the object had been migrated before that write.
    const other = await upgraded();
    await migrate(other);
    await other.client.patch(Older, name, { type: "merge", body: { spec: { maxUnhealthy: "20%" } } });
    expect(stored?.["spec"]).toEqual((other.storage.get(key) as JsonObject | undefined)?.["spec"]);
    expect(stored?.["apiVersion"]).toBe(Newer.apiVersion);
    expect(await storedVersions(server)).toEqual([OLDER, NEWER]);
  });

  test("stay readable where one of them is refused, which is reported", async () => {
    const server = await upgraded();
    const { client } = server;
    const refusing = {
      ...client,
      patch: ((kind, name, patch) =>
        client.patch(
          kind,
          name,
          name.name === "b" ? { type: "merge", body: { spec: { clusterName: 3 } } } : patch,
        )) as Client["patch"],
    };
    expect(await migrateStoredVersions({ client: refusing, log: silentLogger })).toEqual([NAME]);
    expect(versionsInStorage(server)).toEqual([Newer.apiVersion, Older.apiVersion, Newer.apiVersion]);
    expect(await storedVersions(server)).toEqual([OLDER, NEWER]);
    expect(await client.list(MachineHealthCheck)).toHaveLength(NAMES.length);
  });
});
