/** What release 0.1 has applied: its owners, and the first apply of the next release, in the other version. */
import {
  type CustomKind,
  customKinds,
  CustomResourceDefinition,
  type JsonObject,
  KubeadmConfig,
  Machine,
  MachineDeployment,
  MachineSet,
  versionConversion,
} from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { migrateStoredVersions } from "@capstan/manager";
import { type Client, createClient, silentLogger } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { appliedPart, type OwnerEntry, ownersOf } from "./applied-part.ts";
import { readObjects } from "./data-rows.ts";
import { definitionStoring, inVersion, NEWER, OLDER, plain } from "./flip.ts";

const env = createRealEnv();
const rows = readObjects("test/upgrade/fixture-0.1", "management");

interface Applied {
  readonly name: string;
  readonly namespace: string;
  readonly object: JsonObject;
  readonly owner: OwnerEntry;
}

/** Each configuration that controllers of 0.1 have applied to objects of a kind. */
function appliedTo(plural: string): readonly Applied[] {
  return rows
    .filter(({ resource }) => resource === plural)
    .flatMap(({ name, namespace, body: object }) =>
      ownersOf(object as never)
        .filter(({ operation, subresource }) => operation === "Apply" && subresource === undefined)
        .map((owner) => ({ name, namespace, object, owner })),
    );
}

/** The stored objects of a kind, in a server that stores the newer version from now on. */
async function upgradedServer(kind: CustomKind): Promise<Client> {
  const storage = createMemoryStorage();
  const { handle } = createApiServer({ env, kinds: builtInKinds, rules: customKinds.map(plain), storage });
  const transport = { request: handle, close: () => Promise.resolve() };
  const client = createClient({ env, transport, fieldManager: "test" });
  const definition = await client.create(CustomResourceDefinition, definitionStoring(kind, OLDER));
  const resource = `${kind.group}/${kind.plural}`;
  for (const { namespace, name, body } of rows.filter((row) => row.resource === resource))
    await storage.create({ resource, namespace, name }, structuredClone(body) as never);
  const { metadata } = await client.get(CustomResourceDefinition, definition.metadata);
  await client.update(CustomResourceDefinition, { ...definitionStoring(kind, NEWER), metadata });
  return client;
}

const KINDS: readonly CustomKind[] = [Machine, MachineSet, MachineDeployment, KubeadmConfig];

/** An object without what a write always changes. */
function bare({ metadata, ...rest }: JsonObject): JsonObject {
  const { resourceVersion: _, managedFields: __, ...kept } = metadata as JsonObject;
  return { ...rest, metadata: kept };
}

const ownerNames = (object: object): readonly string[] =>
  ownersOf(object as never)
    .map(({ manager, operation, subresource = "" }) => `${manager} ${operation} ${subresource}`)
    .toSorted();

describe.each(["before", "after"])("the first apply in the newer version, %s the migration", (when) => {
  test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
    "keeps all fields and owners of each %s",
    async (_, kind) => {
      const client = await upgradedServer(kind);
      if (when === "after") expect(await migrateStoredVersions({ client, log: silentLogger })).toEqual([]);
      const convert = versionConversion(kind, { versionOf: () => OLDER });
      const Newer = inVersion(kind, NEWER);
      const [from, to] = [`${kind.group}/${OLDER}`, Newer.apiVersion];
      for (const { name, namespace, object, owner } of appliedTo(`${kind.group}/${kind.plural}`)) {
        const before = await client.get(Newer, { name, namespace });
        const body = convert(appliedPart(object, owner), { from, to }).object;
        const after = await client.patch(
          Newer,
          { name, namespace },
          { type: "apply", body, fieldManager: owner.manager, force: true },
        );
        expect(bare(after as never), `${owner.manager} on ${name}`).toEqual(bare(before as never));
        expect(ownerNames(after)).toEqual(ownerNames(before));
        expect(
          ownersOf(after).find(({ manager, operation }) => manager === owner.manager && operation === "Apply")
            ?.apiVersion,
        ).toBe(to);
      }
    },
  );
});

test("0.1 has applied Machines, MachineSets and KubeadmConfigs", () => {
  const counts = KINDS.map(({ kind, group, plural }) => [kind, appliedTo(`${group}/${plural}`).length]);
  expect(Object.fromEntries(counts)).toMatchObject({ Machine: expect.any(Number) as number });
  expect(counts.filter(([, count]) => count === 0)).toEqual([["MachineDeployment", 0]]);
});
