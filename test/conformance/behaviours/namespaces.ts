import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { namesOf } from "../body.ts";

interface NamespaceStatus {
  readonly phase: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
  }[];
}

/** What namespaces are and how they end. */
export const namespaceBehaviours: readonly Behaviour[] = [
  behaviour("a namespace has a label with its name, a finalizer and a phase", async (api) => {
    const name = api.unique("ns");
    const created = await api.create("/api/v1/namespaces", { metadata: { name } });
    expect(created.metadata.labels).toEqual({ "kubernetes.io/metadata.name": name });
    expect([created.spec, created.status]).toEqual([{ finalizers: ["kubernetes"] }, { phase: "Active" }]);
  }),

  behaviour("the label with its name comes back to a namespace", async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}`;
    const { body } = await api.patch(path, "merge", { metadata: { labels: null } });
    expect(body.metadata.labels).toEqual({ "kubernetes.io/metadata.name": api.namespace });
  }),

  behaviour("the namespaces of every cluster are there", async (api) => {
    const { body } = await api.get("/api/v1/namespaces");
    expect(namesOf(body)).toEqual(
      expect.arrayContaining(["default", "kube-node-lease", "kube-public", "kube-system"]),
    );
  }),

  behaviour("a deleted namespace takes its contents with it", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.delete(`/api/v1/namespaces/${api.namespace}`);
    expect([answer.status, answer.body.kind]).toEqual([200, "Namespace"]);
    expect(answer.body.status).toEqual({ phase: "Terminating" });
    expect(answer.body.metadata.deletionTimestamp).toMatch(/Z$/);
    await api.eventually(async () =>
      expect((await api.get(`/api/v1/namespaces/${api.namespace}`)).status).toBe(404),
    );
    expect((await api.get(api.inNamespace("configmaps/a"))).status).toBe(404);
    expect((await api.get(`${boats.path()}/a`)).status).toBe(404);
  }),

  behaviour("a namespace with something that cannot go says so in conditions", async (api) => {
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", finalizers: ["example.com/hold"] },
    });
    await api.delete(`/api/v1/namespaces/${api.namespace}`);
    await api.eventually(async () => {
      const { body } = await api.get(`/api/v1/namespaces/${api.namespace}`);
      const { conditions = [] } = body.status as NamespaceStatus;
      expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).toSorted()).toEqual([
        "NamespaceContentRemaining True SomeResourcesRemain",
        "NamespaceDeletionContentFailure False ContentDeleted",
        "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered",
        "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions",
        "NamespaceFinalizersRemaining True SomeFinalizersRemain",
      ]);
    });
    await api.patch(api.inNamespace("configmaps/a"), "merge", { metadata: { finalizers: null } });
    await api.eventually(async () =>
      expect((await api.get(`/api/v1/namespaces/${api.namespace}`)).status).toBe(404),
    );
  }),

  behaviour("a finalizer of a namespace is taken away by finalize", async (api) => {
    const name = api.unique("ns");
    const created = await api.create("/api/v1/namespaces", {
      metadata: { name },
      spec: { finalizers: ["kubernetes", "example.com/hold"] },
    });
    await api.delete(`/api/v1/namespaces/${name}`);
    await api.eventually(async () => {
      const { body } = await api.get(`/api/v1/namespaces/${name}`);
      expect(body.spec).toEqual({ finalizers: ["example.com/hold"] });
    });
    const answer = await api.put(`/api/v1/namespaces/${name}/finalize`, {
      metadata: { name, uid: created.metadata.uid },
      spec: { finalizers: [] },
    });
    expect(answer.status).toBe(200);
    await api.eventually(async () => expect((await api.get(`/api/v1/namespaces/${name}`)).status).toBe(404));
  }),

  behaviour("the finalizers in the spec of a namespace cannot be changed by an update", async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}`;
    const { status, body } = await api.patch(path, "merge", { spec: { finalizers: [] } });
    expect([status, body.spec]).toEqual([200, { finalizers: ["kubernetes"] }]);
  }),

  behaviour("default may not be deleted", async (api) => {
    const answer = await api.delete("/api/v1/namespaces/default");
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([
      403,
      "Forbidden",
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
  }),

  behaviour("namespaces cannot be deleted all at once", async (api) => {
    const answer = await api.delete("/api/v1/namespaces");
    expect([answer.status, answer.body.reason]).toEqual([405, "MethodNotAllowed"]);
  }),

  behaviour("a namespace gets a service account named default", async (api) => {
    await api.eventually(async () => {
      expect((await api.get(api.inNamespace("serviceaccounts/default"))).status).toBe(200);
    });
  }),
];
