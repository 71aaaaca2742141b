import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import type { KubeBody } from "../body.ts";
import { definitionOf } from "../custom-kind.ts";
import type { Answer, Api } from "../kit.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const spec = (properties: object, rest: object = {}) => ({
  properties: { spec: { type: "object", properties, ...rest } },
});

/** The spec that a boat is stored with. */
async function stored(api: Api, properties: object, boat: object): Promise<unknown> {
  const boats = await api.customKind(spec(properties));
  return (await api.create(boats.path(), boats.object(api.unique("a"), { spec: boat }))).spec;
}

/** The answer to a boat that its schema does not allow. */
async function refused(
  api: Api,
  properties: object,
  boat: unknown,
): Promise<{ answer: Answer; head: string }> {
  const boats = await api.customKind(spec(properties));
  const answer = await api.post(boats.path(), boats.object("a", { spec: boat }));
  expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
  return { answer, head: `Boat.${boats.group} "a" is invalid: ` };
}

const invalid = (name: string, properties: object, boat: object, message: string): Behaviour =>
  behaviour(name, async (api) => {
    const { answer, head } = await refused(api, properties, boat);
    expect(answer.body.message).toBe(head + message);
  });

const conditionsOf = ({ status }: KubeBody): Record<string, string> =>
  Object.fromEntries(
    (status as { conditions: { type: string; status: string; reason: string }[] }).conditions.map((one) => [
      one.type,
      `${one.status} ${one.reason}`,
    ]),
  );

/** What custom resource definitions define, and what becomes of their objects. */
export const customKindBehaviours: readonly Behaviour[] = [
  behaviour("a definition is established with the names it asked for", async (api) => {
    const boats = await api.customKind();
    const { body } = await api.get(boats.definition);
    expect(conditionsOf(body)).toMatchObject({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
    expect(body.status).toMatchObject({
      acceptedNames: { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" },
      storedVersions: ["v1"],
    });
    expect(body.spec).toMatchObject({ conversion: { strategy: "None" } });
  }),

  behaviour("singular and list kind of a definition default from kind", async (api) => {
    const boats = await api.customKind({ spec: { names: { plural: "boats", kind: "Boat" } } });
    const { body } = await api.get(boats.definition);
    expect(body.spec["names"]).toEqual({
      plural: "boats",
      singular: "boat",
      kind: "Boat",
      listKind: "BoatList",
    });
  }),

  behaviour("a definition whose name is not plural and group is refused", async (api) => {
    const group = `${api.unique("fleet")}.example.com`;
    const answer = await api.post(DEFINITIONS, {
      ...definitionOf(group),
      metadata: { name: `ships.${group}` },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `CustomResourceDefinition.apiextensions.k8s.io "ships.${group}" is invalid: metadata.name: Invalid value: "ships.${group}": must be spec.names.plural+"."+spec.group`,
    ]);
  }),

  behaviour("a definition without a schema is refused", async (api) => {
    const group = `${api.unique("fleet")}.example.com`;
    const answer = await api.post(DEFINITIONS, definitionOf(group, { version: { schema: undefined } }));
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `CustomResourceDefinition.apiextensions.k8s.io "boats.${group}" is invalid: spec.versions[0].schema.openAPIV3Schema: Required value`,
    ]);
  }),

  behaviour("a definition whose schema is not structural is refused", async (api) => {
    const group = `${api.unique("fleet")}.example.com`;
    const answer = await api.post(
      DEFINITIONS,
      definitionOf(group, { properties: { spec: { properties: { sails: { type: "integer" } } } } }),
    );
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    );
  }),

  behaviour("a definition with two storage versions is refused", async (api) => {
    const group = `${api.unique("fleet")}.example.com`;
    const answer = await api.post(
      DEFINITIONS,
      definitionOf(group, { versions: ["v1", "v2"], version: { storage: true } }),
    );
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain("must have exactly one version marked as storage version");
  }),

  behaviour("a default that breaks its own schema is refused", async (api) => {
    const group = `${api.unique("fleet")}.example.com`;
    const answer = await api.post(
      DEFINITIONS,
      definitionOf(group, spec({ sails: { type: "integer", maximum: 3, default: 4 } })),
    );
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      "spec.validation.openAPIV3Schema.properties[spec].properties[sails].default: Invalid value: 4",
    );
  }),

  behaviour("the scope of a definition may not change", async (api) => {
    const boats = await api.customKind({ own: true });
    const answer = await api.patch(boats.definition, "merge", { spec: { scope: "Cluster" } });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `CustomResourceDefinition.apiextensions.k8s.io "boats.${boats.group}" is invalid: spec.scope: Invalid value: "Cluster": field is immutable`,
    ]);
  }),

  behaviour("a second definition of a kind of the same group is not accepted", async (api) => {
    const boats = await api.customKind({ own: true });
    const { spec: first } = definitionOf(boats.group);
    const name = `ships.${boats.group}`;
    await api.create(DEFINITIONS, {
      metadata: { name },
      spec: { ...first, names: { plural: "ships", singular: "ship", kind: "Boat", listKind: "ShipList" } },
    });
    await api.eventually(async () => {
      const { body } = await api.get(`${DEFINITIONS}/${name}`);
      expect(conditionsOf(body)).toMatchObject({
        NamesAccepted: "False KindConflict",
        Established: "False NotAccepted",
      });
    });
    const answer = await api.get(`/apis/${boats.group}/v1/ships`);
    expect(answer.status).toBe(404);
  }),

  invalid(
    "a value of the wrong type is refused with both types",
    { sails: { type: "integer" } },
    { sails: "three" },
    'spec.sails: Invalid value: "string": spec.sails in body must be of type integer: "string"',
  ),
  invalid(
    "a required field that is missing is refused",
    { hull: { type: "object", required: ["colour"], properties: { colour: { type: "string" } } } },
    { hull: {} },
    "spec.hull.colour: Required value",
  ),
  invalid(
    "a value that is not in the enum is refused with the values that are",
    { colour: { type: "string", enum: ["red", "blue"] } },
    { colour: "green" },
    'spec.colour: Unsupported value: "green": supported values: "red", "blue"',
  ),
  invalid(
    "a number above the maximum is refused",
    { sails: { type: "integer", maximum: 3 } },
    { sails: 4 },
    "spec.sails: Invalid value: 4: spec.sails in body should be less than or equal to 3",
  ),
  invalid(
    "a number below the minimum is refused",
    { sails: { type: "integer", minimum: 1 } },
    { sails: 0 },
    "spec.sails: Invalid value: 0: spec.sails in body should be greater than or equal to 1",
  ),
  invalid(
    "a string that does not match its pattern is refused",
    { name: { type: "string", pattern: "^[a-z]+$" } },
    { name: "A1" },
    "spec.name: Invalid value: \"A1\": spec.name in body should match '^[a-z]+$'",
  ),
  invalid(
    "a string that is too long is refused",
    { name: { type: "string", maxLength: 3 } },
    { name: "abcd" },
    "spec.name: Too long: may not be more than 3 bytes",
  ),
  invalid(
    "a list with too many items is refused",
    { crew: { type: "array", maxItems: 1, items: { type: "string" } } },
    { crew: ["a", "b"] },
    "spec.crew: Too many: 2: must have at most 1 item",
  ),
  invalid(
    "a float where an integer belongs is refused",
    { sails: { type: "integer" } },
    { sails: 1.5 },
    'spec.sails: Invalid value: "number": spec.sails in body must be of type integer: "number"',
  ),
  invalid(
    "null where null is not allowed is refused in lists",
    { crew: { type: "array", items: { type: "string" } } },
    { crew: [null] },
    'spec.crew[0]: Invalid value: "null": spec.crew[0] in body must be of type string: "null"',
  ),
  invalid(
    "two items of a map list with the same key are refused",
    {
      crew: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
      },
    },
    { crew: [{ name: "a" }, { name: "a" }] },
    'spec.crew[1]: Duplicate value: {"name":"a"}',
  ),
  invalid(
    "two equal items of a set are refused",
    { crew: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } } },
    { crew: ["a", "a"] },
    'spec.crew[1]: Duplicate value: "a"',
  ),
  behaviour("several problems are all told", async (api) => {
    const properties = { sails: { type: "integer" }, name: { type: "string" } };
    const { answer, head } = await refused(api, properties, { sails: "x", name: 1 });
    expect(answer.body.message.startsWith(`${head}[`)).toBe(true);
    expect(answer.body.details.causes).toHaveLength(2);
  }),

  behaviour("defaults are filled in, and inside what is there", async (api) => {
    const properties = {
      sails: { type: "integer", default: 3 },
      hull: { type: "object", default: {}, properties: { colour: { type: "string", default: "red" } } },
    };
    expect(await stored(api, properties, {})).toEqual({ sails: 3, hull: { colour: "red" } });
  }),

  behaviour("null becomes the default where null is not allowed", async (api) => {
    const properties = {
      sails: { type: "integer", default: 3 },
      port: { type: "string", nullable: true, default: "Kiel" },
    };
    expect(await stored(api, properties, { sails: null, port: null })).toEqual({ sails: 3, port: null });
  }),

  behaviour("fields that the schema does not know are pruned", async (api) => {
    const properties = { sails: { type: "integer" }, hull: { type: "object", properties: {} } };
    expect(await stored(api, properties, { sails: 1, engine: true, hull: { rust: 1 } })).toEqual({
      sails: 1,
      hull: {},
    });
  }),

  behaviour("unknown fields are kept where the schema says so, and pruned again below", async (api) => {
    const properties = {
      cargo: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { box: { type: "object", properties: { size: { type: "integer" } } } },
      },
    };
    expect(await stored(api, properties, { cargo: { free: [1], box: { size: 1, colour: "red" } } })).toEqual({
      cargo: { free: [1], box: { size: 1 } },
    });
  }),

  behaviour("an int-or-string takes both and nothing else", async (api) => {
    const properties = { surge: { "x-kubernetes-int-or-string": true } };
    expect(await stored(api, properties, { surge: "25%" })).toEqual({ surge: "25%" });
    expect(await stored(api, properties, { surge: 1 })).toEqual({ surge: 1 });
    const { answer } = await refused(api, properties, { surge: true });
    expect(answer.body.message).toContain("spec.surge");
  }),

  behaviour("metadata of a custom object is never pruned by its schema and never free", async (api) => {
    const boats = await api.customKind({ properties: {} });
    const { metadata } = await api.create(boats.path(), {
      ...boats.object("a"),
      metadata: { name: "a", labels: { a: "b" }, nonsense: 1 },
    });
    expect(metadata).toMatchObject({ labels: { a: "b" } });
    expect(metadata).not.toHaveProperty("nonsense");
  }),

  behaviour("an object is served in each version that is served", async (api) => {
    const boats = await api.customKind({ versions: ["v1", "v2"] });
    const created = await api.create(boats.path(), boats.object("a", { spec: { sails: 1 } }));
    const { body } = await api.get(`${boats.path("v2")}/a`);
    expect(body).toEqual({ ...created, apiVersion: `${boats.group}/v2` });
  }),

  behaviour("an object may be written in a version that is not stored", async (api) => {
    const boats = await api.customKind({ versions: ["v1", "v2"] });
    const created = await api.create(boats.path("v2"), {
      ...boats.object("a"),
      apiVersion: `${boats.group}/v2`,
    });
    expect(created.apiVersion).toBe(`${boats.group}/v2`);
    expect((await api.get(`${boats.path()}/a`)).body.apiVersion).toBe(`${boats.group}/v1`);
  }),

  behaviour("a version that is not served is not found", async (api) => {
    const boats = await api.customKind();
    const answer = await api.get(boats.path("v2"));
    expect([answer.status, answer.text]).toEqual([404, "404 page not found\n"]);
  }),

  behaviour("a deprecated version warns", async (api) => {
    const boats = await api.customKind({
      version: { deprecated: true, deprecationWarning: "boats of v1 will sink" },
    });
    const { headers } = await api.get(boats.path());
    expect(headers["warning"]).toBe('299 - "boats of v1 will sink"');
  }),

  behaviour("a cluster-scoped kind has no namespaces", async (api) => {
    const boats = await api.customKind({ scope: "Cluster" });
    const created = await api.create(boats.path(), boats.object("a"));
    expect(created.metadata.namespace).toBeUndefined();
    const answer = await api.get(`/apis/${boats.group}/v1/namespaces/${api.namespace}/boats`);
    expect([answer.status, answer.text]).toEqual([404, "404 page not found\n"]);
  }),

  behaviour("a change of the schema holds for the next write", async (api) => {
    const boats = await api.customKind({ ...spec({ sails: { type: "integer" } }), own: true });
    const { spec: changed } = definitionOf(boats.group, spec({ sails: { type: "integer", maximum: 3 } }));
    await api.patch(boats.definition, "merge", { spec: { versions: changed["versions"] } });
    await api.eventually(async () => {
      const boat = boats.object(api.unique("a"), { spec: { sails: 9 } });
      expect((await api.post(boats.path(), boat)).status).toBe(422);
    });
  }),

  behaviour("an old object that breaks a new schema can still be changed elsewhere", async (api) => {
    const boats = await api.customKind({
      ...spec({ sails: { type: "integer" }, port: { type: "string" } }),
      own: true,
    });
    await api.create(boats.path(), boats.object("a", { spec: { sails: 9 } }));
    const tighter = spec({ sails: { type: "integer", maximum: 3 }, port: { type: "string" } });
    const { spec: changed } = definitionOf(boats.group, tighter);
    await api.patch(boats.definition, "merge", { spec: { versions: changed["versions"] } });
    await api.eventually(async () => {
      const boat = boats.object(api.unique("b"), { spec: { sails: 9 } });
      expect((await api.post(boats.path(), boat)).status).toBe(422);
    });
    const answer = await api.patch(`${boats.path()}/a`, "merge", { spec: { port: "Kiel" } });
    expect([answer.status, answer.body.spec]).toEqual([200, { sails: 9, port: "Kiel" }]);
  }),

  behaviour("deleting a definition deletes its objects and ends their watches", async (api) => {
    const boats = await api.customKind({ own: true });
    const { metadata } = await api.create(boats.path(), boats.object("a"));
    const watch = await api.watch(boats.path(), { resourceVersion: metadata.resourceVersion });
    const answer = await api.delete(boats.definition);
    expect(answer.body.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    const changes = await watch.rest();
    expect(changes.map(({ type, object }) => `${type} ${object.metadata.name}`)).toContain("DELETED a");
    await api.eventually(async () => {
      expect((await api.get(boats.definition)).status).toBe(404);
      expect((await api.get(boats.path())).status).toBe(404);
    });
  }),
];
