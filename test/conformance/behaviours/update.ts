import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";

const SCALE = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
const WITH_STATUS = { version: { subresources: { status: {} } } };
const WITH_SCALE = {
  version: { subresources: { status: {}, scale: { ...SCALE, labelSelectorPath: ".status.selector" } } },
  properties: {
    spec: { type: "object", properties: { replicas: { type: "integer" }, name: { type: "string" } } },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
  },
};

/** What a PUT does, to an object and to its subresources. */
export const updateBehaviours: readonly Behaviour[] = [
  behaviour("an update replaces the object and moves its resourceVersion", async (api) => {
    const path = api.inNamespace("configmaps/a");
    const created = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", labels: { x: "y" } },
      data: { a: "1", b: "2" },
    });
    const { metadata } = created;
    const answer = await api.put(path, {
      ...created,
      metadata: { name: "a", resourceVersion: metadata.resourceVersion },
      data: { a: "3" },
    });
    expect([answer.status, answer.body.data, answer.body.metadata.labels]).toEqual([
      200,
      { a: "3" },
      undefined,
    ]);
    expect(Number(answer.body.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    expect(answer.body.metadata).toMatchObject({
      uid: metadata.uid,
      creationTimestamp: metadata.creationTimestamp,
    });
  }),

  behaviour("an update with an old resourceVersion is refused as a conflict", async (api) => {
    const path = api.inNamespace("configmaps/a");
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    await api.put(path, { ...created, data: { a: "1" } });
    expectRefusal(await api.put(path, { ...created, data: { a: "2" } }), {
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: "a", kind: "configmaps" },
    });
  }),

  behaviour("an update of a custom object without a resourceVersion is refused", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    expectRefusal(await api.put(`${boats.path()}/a`, boats.object("a")), {
      code: 422,
      reason: "Invalid",
      message: `boats.${boats.group} "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      details: {
        name: "a",
        group: boats.group,
        kind: "boats",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: "Invalid value: 0: must be specified for an update",
            field: "metadata.resourceVersion",
          },
        ],
      },
    });
  }),

  behaviour("a built-in kind may be updated without a resourceVersion", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.put(api.inNamespace("configmaps/a"), {
      metadata: { name: "a" },
      data: { a: "1" },
    });
    expect([answer.status, answer.body.data]).toEqual([200, { a: "1" }]);
  }),

  behaviour("an update of what is not there is refused", async (api) => {
    const answer = await api.put(api.inNamespace("configmaps/a"), {
      metadata: { name: "a", resourceVersion: "1" },
    });
    expect([answer.status, answer.body.reason]).toEqual([404, "NotFound"]);
  }),

  behaviour("an update with another uid is refused as a conflict", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.put(api.inNamespace("configmaps/a"), {
      metadata: { name: "a", uid: "11111111-2222-3333-4444-555555555555" },
    });
    expectRefusal(answer, {
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/${api.namespace}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 11111111-2222-3333-4444-555555555555, UID in object meta: ${created.metadata.uid}`,
      details: { name: "a", kind: "configmaps" },
    });
  }),

  behaviour("an update whose name is not that of the path is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    expectRefusal(await api.put(api.inNamespace("configmaps/a"), { metadata: { name: "b" } }), {
      code: 400,
      reason: "BadRequest",
      message: "the name of the object (b) does not match the name on the URL (a)",
    });
  }),

  behaviour("an update that changes nothing keeps the resourceVersion", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "1" },
    });
    const answer = await api.put(api.inNamespace("configmaps/a"), created);
    expect([answer.status, answer.body.metadata.resourceVersion]).toEqual([
      200,
      created.metadata.resourceVersion,
    ]);
  }),

  behaviour("an update keeps what only the server may say in metadata", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { body } = await api.put(api.inNamespace("configmaps/a"), {
      metadata: {
        name: "a",
        creationTimestamp: "2001-01-01T00:00:00Z",
        generation: 99,
      },
      data: { a: "1" },
    });
    expect(body.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
  }),

  behaviour("an update may not set a deletionTimestamp", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.put(api.inNamespace("configmaps/a"), {
      metadata: { name: "a", deletionTimestamp: "2001-01-01T00:00:00Z" },
    });
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([
      422,
      "Invalid",
      'ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    ]);
  }),

  behaviour(
    "the generation of a custom object counts changes of its spec, not of its labels",
    async (api) => {
      const boats = await api.customKind(WITH_STATUS);
      const path = `${boats.path()}/a`;
      await api.create(boats.path(), boats.object("a", { spec: { sails: 1 } }));
      const generation = async (patch: object): Promise<number> =>
        (await api.patch(path, "merge", patch)).body.metadata.generation;
      expect(await generation({ metadata: { labels: { a: "b" } } })).toBe(1);
      expect(await generation({ spec: { sails: 2 } })).toBe(2);
      expect(await generation({ spec: { sails: 2 } })).toBe(2);
      expect(await generation({ status: { sails: 2 } })).toBe(2);
    },
  ),

  behaviour("without a status subresource a change of the status counts as one", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    const { body } = await api.patch(`${boats.path()}/a`, "merge", { status: { sails: 2 } });
    expect([body.metadata.generation, body.status]).toEqual([2, { sails: 2 }]);
  }),

  behaviour("a create of a kind with a status subresource drops the status", async (api) => {
    const boats = await api.customKind(WITH_STATUS);
    const { status } = await api.create(boats.path(), boats.object("a", { status: { sails: 1 } }));
    expect(status).toBeUndefined();
  }),

  behaviour("an update of the status changes only the status", async (api) => {
    const boats = await api.customKind(WITH_STATUS);
    const created = await api.create(boats.path(), boats.object("a", { spec: { sails: 1 } }));
    const answer = await api.put(`${boats.path()}/a/status`, {
      ...created,
      metadata: { ...created.metadata, labels: { a: "b" } },
      spec: { sails: 9 },
      status: { sails: 3 },
    });
    expect(answer.status).toBe(200);
    expect([answer.body.spec, answer.body.status, answer.body.metadata.labels]).toEqual([
      { sails: 1 },
      { sails: 3 },
      undefined,
    ]);
    expect(answer.body.metadata.generation).toBe(1);
  }),

  behaviour("an update of the object leaves the status alone", async (api) => {
    const boats = await api.customKind(WITH_STATUS);
    const path = `${boats.path()}/a`;
    await api.create(boats.path(), boats.object("a"));
    const { body } = await api.patch(`${path}/status`, "merge", { status: { sails: 3 } });
    const answer = await api.put(path, { ...body, spec: { sails: 4 }, status: { sails: 5 } });
    expect([answer.body.spec, answer.body.status]).toEqual([{ sails: 4 }, { sails: 3 }]);
  }),

  behaviour("the status of a kind without a status subresource is not found", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    expectRefusal(await api.get(`${boats.path()}/a/status`), {
      code: 404,
      reason: "NotFound",
      message: `boats.${boats.group} "a" not found`,
      details: { name: "a", group: boats.group, kind: "boats" },
    });
  }),

  behaviour("the status of an object can be read through the subresource", async (api) => {
    const boats = await api.customKind(WITH_STATUS);
    const created = await api.create(boats.path(), boats.object("a"));
    expect((await api.get(`${boats.path()}/a/status`)).body).toEqual(created);
  }),

  behaviour("the scale of a custom object shows its replicas and selector", async (api) => {
    const boats = await api.customKind(WITH_SCALE);
    const created = await api.create(boats.path(), boats.object("a", { spec: { replicas: 3 } }));
    await api.patch(`${boats.path()}/a/status`, "merge", { status: { replicas: 2, selector: "a=b" } });
    const { body } = await api.get(`${boats.path()}/a/scale`);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a", namespace: api.namespace, uid: created.metadata.uid },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: "a=b" },
    });
  }),

  behaviour("an update of the scale changes the replicas and nothing else", async (api) => {
    const boats = await api.customKind(WITH_SCALE);
    await api.create(boats.path(), boats.object("a", { spec: { replicas: 3, name: "x" } }));
    const scale = (await api.get(`${boats.path()}/a/scale`)).body;
    const answer = await api.put(`${boats.path()}/a/scale`, { ...scale, spec: { replicas: 5 } });
    expect([answer.status, answer.body.kind, answer.body.spec]).toEqual([200, "Scale", { replicas: 5 }]);
    const { body } = await api.get(`${boats.path()}/a`);
    expect([body.spec, body.metadata.generation]).toEqual([{ replicas: 5, name: "x" }, 2]);
  }),

  behaviour("a patch of the scale changes the replicas", async (api) => {
    const boats = await api.customKind(WITH_SCALE);
    await api.create(boats.path(), boats.object("a", { spec: { replicas: 3 } }));
    const answer = await api.patch(`${boats.path()}/a/scale`, "merge", { spec: { replicas: 7 } });
    expect([answer.status, answer.body.spec]).toEqual([200, { replicas: 7 }]);
  }),

  behaviour("a scale below zero is refused", async (api) => {
    const boats = await api.customKind(WITH_SCALE);
    await api.create(boats.path(), boats.object("a", { spec: { replicas: 3 } }));
    const answer = await api.patch(`${boats.path()}/a/scale`, "merge", { spec: { replicas: -1 } });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(
      "spec.replicas: Invalid value: -1: should be a non-negative integer",
    );
  }),

  behaviour("the scale of an object without replicas is an internal error", async (api) => {
    const boats = await api.customKind(WITH_SCALE);
    await api.create(boats.path(), boats.object("a"));
    const answer = await api.get(`${boats.path()}/a/scale`);
    expect([answer.status, answer.body.reason]).toEqual([500, "InternalError"]);
    expect(answer.body.message).toContain('the spec replicas field ".spec.replicas" does not exist');
  }),

  behaviour("an old resourceVersion in a scale is a conflict", async (api) => {
    const boats = await api.customKind(WITH_SCALE);
    await api.create(boats.path(), boats.object("a", { spec: { replicas: 3 } }));
    const scale = (await api.get(`${boats.path()}/a/scale`)).body;
    await api.patch(`${boats.path()}/a`, "merge", { spec: { replicas: 4 } });
    const answer = await api.put(`${boats.path()}/a/scale`, { ...scale, spec: { replicas: 5 } });
    expect([answer.status, answer.body.reason]).toEqual([409, "Conflict"]);
  }),

  behaviour("a dry run of an update changes nothing", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const path = api.inNamespace("configmaps/a");
    const answer = await api.put(path, { ...created, data: { a: "1" } }, { query: { dryRun: "All" } });
    expect([answer.status, answer.body.data]).toEqual([200, { a: "1" }]);
    expect((await api.get(path)).body).toEqual(created);
  }),
];
