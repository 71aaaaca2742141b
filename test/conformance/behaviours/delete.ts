import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal, type KubeBody, namesOf } from "../body.ts";
import type { Api } from "../kit.ts";

const ownerReference = (owner: KubeBody, rest: object = {}) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...rest,
});

async function family(api: Api, reference: object = {}): Promise<KubeBody> {
  const path = api.inNamespace("configmaps");
  const owner = await api.create(path, { metadata: { name: "owner" } });
  await api.create(path, {
    metadata: { name: "child", ownerReferences: [ownerReference(owner, reference)] },
  });
  return owner;
}

async function gone(api: Api, path: string): Promise<void> {
  await api.eventually(async () => expect((await api.get(path)).status).toBe(404));
}

/** What a DELETE does, and what garbage collection does after it. */
export const deleteBehaviours: readonly Behaviour[] = [
  behaviour("a delete answers with a status that names what is gone", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.delete(api.inNamespace("configmaps/a"));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", kind: "configmaps", uid: metadata.uid },
      },
    ]);
    expect((await api.get(api.inNamespace("configmaps/a"))).status).toBe(404);
  }),

  behaviour("a delete of what is not there is refused", async (api) => {
    expectRefusal(await api.delete(api.inNamespace("configmaps/a")), {
      code: 404,
      reason: "NotFound",
      message: 'configmaps "a" not found',
      details: { name: "a", kind: "configmaps" },
    });
  }),

  behaviour("a delete for another uid is refused as a conflict", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const uid = "11111111-2222-3333-4444-555555555555";
    expectRefusal(await api.delete(api.inNamespace("configmaps/a"), { preconditions: { uid } }), {
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
      details: { name: "a", kind: "ConfigMap" },
    });
  }),

  behaviour("a delete for an old resourceVersion is refused as a conflict", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { body } = await api.patch(api.inNamespace("configmaps/a"), "merge", { data: { a: "1" } });
    const { resourceVersion } = metadata;
    expectRefusal(await api.delete(api.inNamespace("configmaps/a"), { preconditions: { resourceVersion } }), {
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${body.metadata.resourceVersion}). The object might have been modified`,
      details: { name: "a", kind: "ConfigMap" },
    });
  }),

  behaviour("a delete whose preconditions hold goes through", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { uid, resourceVersion } = metadata;
    const answer = await api.delete(api.inNamespace("configmaps/a"), {
      preconditions: { uid, resourceVersion },
    });
    expect(answer.status).toBe(200);
  }),

  behaviour("a finalizer keeps an object, marked as being deleted", async (api) => {
    const path = api.inNamespace("configmaps/a");
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", finalizers: ["example.com/b"] },
    });
    const answer = await api.delete(path);
    expect([answer.status, answer.body.kind]).toEqual([200, "ConfigMap"]);
    expect(answer.body.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(answer.body.metadata.deletionGracePeriodSeconds).toBe(0);
    expect((await api.get(path)).body.metadata).toEqual(answer.body.metadata);
    const last = await api.patch(path, "merge", { metadata: { finalizers: null } });
    expect([last.status, last.body.kind]).toEqual([200, "ConfigMap"]);
    expect((await api.get(path)).status).toBe(404);
  }),

  behaviour("a second delete of what is being deleted keeps its deletionTimestamp", async (api) => {
    const path = api.inNamespace("configmaps/a");
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", finalizers: ["example.com/b"] },
    });
    const first = await api.delete(path);
    const second = await api.delete(path);
    expect([second.status, second.body.metadata]).toEqual([200, first.body.metadata]);
  }),

  behaviour("no finalizer may be added to what is being deleted", async (api) => {
    const path = api.inNamespace("configmaps/a");
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", finalizers: ["example.com/b"] },
    });
    await api.delete(path);
    const answer = await api.patch(path, "merge", {
      metadata: { finalizers: ["example.com/b", "example.com/c"] },
    });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toBe(
      'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}',
    );
  }),

  behaviour("the generation of a custom object counts its deletion", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), {
      ...boats.object("a"),
      metadata: { name: "a", finalizers: ["example.com/b"] },
    });
    const { body } = await api.delete(`${boats.path()}/a`);
    expect(body.metadata.generation).toBe(2);
  }),

  behaviour("a dry run of a delete deletes nothing", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const path = api.inNamespace("configmaps/a");
    expect((await api.delete(path, undefined, { query: { dryRun: "All" } })).status).toBe(200);
    expect((await api.delete(path, { dryRun: ["All"] })).status).toBe(200);
    expect((await api.get(path)).status).toBe(200);
  }),

  behaviour("options of a delete may be in the query", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.delete(api.inNamespace("configmaps/a"), undefined, {
      query: { propagationPolicy: "Foreground" },
    });
    expect([answer.status, answer.body.metadata.finalizers]).toEqual([200, ["foregroundDeletion"]]);
    await gone(api, api.inNamespace("configmaps/a"));
  }),

  behaviour("a propagation policy that does not exist is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.delete(api.inNamespace("configmaps/a"), { propagationPolicy: "Sideways" });
    expectRefusal(answer, {
      code: 422,
      reason: "Invalid",
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      details: {
        group: "meta.k8s.io",
        kind: "DeleteOptions",
        causes: [
          {
            reason: "FieldValueNotSupported",
            message:
              'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
            field: "propagationPolicy",
          },
        ],
      },
    });
  }),

  behaviour("a collection is deleted by selector, and answers with what it was", async (api) => {
    const path = api.inNamespace("configmaps");
    for (const [name, deck] of [
      ["a", "upper"],
      ["b", "lower"],
      ["c", "upper"],
    ])
      await api.create(path, { metadata: { name, labels: { deck } } });
    const answer = await api.delete(path, undefined, { query: { labelSelector: "deck=upper" } });
    expect([answer.status, answer.body.kind, namesOf(answer.body)]).toEqual([
      200,
      "ConfigMapList",
      ["a", "c"],
    ]);
    expect(namesOf((await api.get(path)).body)).toEqual(["b"]);
  }),

  behaviour("a whole collection is deleted but for what has finalizers", async (api) => {
    const path = api.inNamespace("configmaps");
    await api.create(path, { metadata: { name: "a" } });
    await api.create(path, { metadata: { name: "b", finalizers: ["example.com/b"] } });
    await api.delete(path);
    const { body } = await api.get(path);
    expect(body.items.map(({ metadata }) => [metadata.name, typeof metadata.deletionTimestamp])).toEqual([
      ["b", "string"],
    ]);
    await api.patch(`${path}/b`, "merge", { metadata: { finalizers: null } });
  }),

  behaviour("dependents of a deleted owner are collected", async (api) => {
    await family(api);
    await api.delete(api.inNamespace("configmaps/owner"), { propagationPolicy: "Background" });
    await gone(api, api.inNamespace("configmaps/owner"));
    await gone(api, api.inNamespace("configmaps/child"));
  }),

  behaviour("grandchildren of a deleted owner are collected", async (api) => {
    await family(api);
    const child = (await api.get(api.inNamespace("configmaps/child"))).body;
    await api.create(api.inNamespace("secrets"), {
      metadata: { name: "grandchild", ownerReferences: [ownerReference(child)] },
    });
    await api.delete(api.inNamespace("configmaps/owner"));
    await gone(api, api.inNamespace("secrets/grandchild"));
  }),

  behaviour("a foreground deletion waits for dependents that block it", async (api) => {
    await family(api, { blockOwnerDeletion: true, controller: true });
    const child = api.inNamespace("configmaps/child");
    await api.patch(child, "merge", { metadata: { finalizers: ["example.com/hold"] } });
    const answer = await api.delete(api.inNamespace("configmaps/owner"), { propagationPolicy: "Foreground" });
    expect(answer.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await api.eventually(async () =>
      expect((await api.get(child)).body.metadata.deletionTimestamp).toMatch(/Z$/),
    );
    expect((await api.get(api.inNamespace("configmaps/owner"))).status).toBe(200);
    await api.patch(child, "merge", { metadata: { finalizers: null } });
    await gone(api, child);
    await gone(api, api.inNamespace("configmaps/owner"));
  }),

  behaviour("a foreground deletion does not wait for dependents that do not block it", async (api) => {
    await family(api, { blockOwnerDeletion: false });
    const child = api.inNamespace("configmaps/child");
    await api.patch(child, "merge", { metadata: { finalizers: ["example.com/hold"] } });
    await api.delete(api.inNamespace("configmaps/owner"), { propagationPolicy: "Foreground" });
    await gone(api, api.inNamespace("configmaps/owner"));
    expect((await api.get(child)).status).toBe(200);
    await api.patch(child, "merge", { metadata: { finalizers: null } });
    await gone(api, child);
  }),

  behaviour("a dry run of deleting a collection deletes nothing", async (api) => {
    const path = api.inNamespace("configmaps");
    for (const name of ["a", "b"]) await api.create(path, { metadata: { name } });
    const answer = await api.delete(path, undefined, { query: { dryRun: "All" } });
    expect([answer.status, namesOf((await api.get(path)).body)]).toEqual([200, ["a", "b"]]);
  }),

  behaviour("an orphaning deletion leaves dependents without an owner", async (api) => {
    await family(api);
    const answer = await api.delete(api.inNamespace("configmaps/owner"), { propagationPolicy: "Orphan" });
    expect(answer.body.metadata.finalizers).toEqual(["orphan"]);
    await gone(api, api.inNamespace("configmaps/owner"));
    const { status, body } = await api.get(api.inNamespace("configmaps/child"));
    expect([status, body.metadata.ownerReferences]).toEqual([200, undefined]);
  }),

  behaviour("orphanDependents together with a propagation policy is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const options = { orphanDependents: true, propagationPolicy: "Orphan" };
    const answer = await api.delete(api.inNamespace("configmaps/a"), options);
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain("orphanDependents and deletionPropagation cannot be both set");
  }),

  behaviour("the old field orphanDependents still orphans", async (api) => {
    await family(api);
    await api.delete(api.inNamespace("configmaps/owner"), { orphanDependents: true });
    await gone(api, api.inNamespace("configmaps/owner"));
    expect(
      (await api.get(api.inNamespace("configmaps/child"))).body.metadata.ownerReferences,
    ).toBeUndefined();
  }),

  behaviour("a dependent with another owner alive is kept and loses the dead one", async (api) => {
    const path = api.inNamespace("configmaps");
    const [one, two] = [
      await api.create(path, { metadata: { name: "one" } }),
      await api.create(path, { metadata: { name: "two" } }),
    ];
    await api.create(path, {
      metadata: { name: "child", ownerReferences: [ownerReference(one), ownerReference(two)] },
    });
    await api.delete(`${path}/one`);
    await api.eventually(async () =>
      expect((await api.get(`${path}/child`)).body.metadata.ownerReferences).toEqual([ownerReference(two)]),
    );
  }),

  behaviour("an object whose owner never was is collected", async (api) => {
    await api.create(api.inNamespace("configmaps"), {
      metadata: {
        name: "child",
        ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "missing", uid: "no-such-uid" }],
      },
    });
    await gone(api, api.inNamespace("configmaps/child"));
  }),

  behaviour("an owner of the right name but another uid is no owner", async (api) => {
    const owner = await api.create(api.inNamespace("configmaps"), { metadata: { name: "owner" } });
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "child", ownerReferences: [{ ...ownerReference(owner), uid: "another-uid" }] },
    });
    await gone(api, api.inNamespace("configmaps/child"));
  }),

  behaviour("an owner in another namespace is no owner", async (api) => {
    const owner = await api.create("/api/v1/namespaces/default/configmaps", {
      metadata: { name: api.unique("owner") },
    });
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "child", ownerReferences: [ownerReference(owner)] },
    });
    await gone(api, api.inNamespace("configmaps/child"));
    expect((await api.get(`/api/v1/namespaces/default/configmaps/${owner.metadata.name}`)).status).toBe(200);
  }),
];
