import { Scheduler, VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { builtInKinds } from "../built-in/kinds.ts";
import { type Seen, TestClient } from "../testing.ts";

/** A whole cluster in virtual time: `settle` lets its controllers finish their work. */
class Cluster extends TestClient {
  readonly #scheduler: Scheduler;

  constructor(scheduler = new Scheduler({ seed: "1" })) {
    super({ env: new VirtualProcess(scheduler, "server"), kinds: builtInKinds });
    this.#scheduler = scheduler;
  }

  async settle(): Promise<void> {
    await this.get("/version");
    await this.#scheduler.run();
  }

  async add(path: string, object: object): Promise<Seen> {
    const { status, body } = await this.create(path, object);
    if (status !== 201) throw new Error(`${status} ${body.message}`);
    return body;
  }

  async names(path: string): Promise<string[]> {
    return (await this.get(path)).body.items.map(({ metadata }) => metadata.name);
  }
}

const MAPS = "/api/v1/namespaces/default/configmaps";
const PODS = "/api/v1/namespaces/default/pods";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

const map = (name: string, metadata: object = {}): object => ({ metadata: { name, ...metadata } });

const owner = ({ metadata }: Seen, rest: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: metadata.name,
  uid: metadata.uid,
  ...rest,
});

describe("the garbage collector", () => {
  test("deletes the dependents of a deleted object, and their dependents", async () => {
    const cluster = new Cluster();
    const top = await cluster.add(MAPS, map("top"));
    const middle = await cluster.add(MAPS, map("middle", { ownerReferences: [owner(top)] }));
    await cluster.add(MAPS, map("bottom", { ownerReferences: [owner(middle)] }));
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["bottom", "middle", "top"]);
    await cluster.delete(`${MAPS}/top`);
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual([]);
  });

  test("keeps an object with another owner, and removes the reference to the deleted one", async () => {
    const cluster = new Cluster();
    const [a, b] = [await cluster.add(MAPS, map("a")), await cluster.add(MAPS, map("b"))];
    await cluster.add(MAPS, map("shared", { ownerReferences: [owner(a), owner(b)] }));
    await cluster.delete(`${MAPS}/a`);
    await cluster.settle();
    const { body } = await cluster.get(`${MAPS}/shared`);
    expect(body.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["b"]);
  });

  test("leaves dependents alone when the owner is deleted with the orphan policy", async () => {
    const cluster = new Cluster();
    const top = await cluster.add(MAPS, map("top"));
    await cluster.add(MAPS, map("kept", { ownerReferences: [owner(top)] }));
    await cluster.delete(`${MAPS}/top`, { propagationPolicy: "Orphan" });
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["kept"]);
    expect((await cluster.get(`${MAPS}/kept`)).body.metadata.ownerReferences).toBeUndefined();
  });

  test("deletes dependents first, and waits for those that block, with the foreground policy", async () => {
    const cluster = new Cluster();
    const top = await cluster.add(MAPS, map("top"));
    const blocking = { ownerReferences: [owner(top, { blockOwnerDeletion: true })], finalizers: ["a.b/c"] };
    await cluster.add(MAPS, map("blocking", blocking));
    await cluster.add(MAPS, map("other", { ownerReferences: [owner(top)], finalizers: ["a.b/c"] }));
    await cluster.delete(`${MAPS}/top`, { propagationPolicy: "Foreground" });
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["blocking", "other", "top"]);
    for (const name of ["blocking", "other"])
      expect((await cluster.get(`${MAPS}/${name}`)).body.metadata.deletionTimestamp).toBeDefined();
    await cluster.merge(`${MAPS}/blocking`, { metadata: { finalizers: null } });
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["other"]);
  });

  test("deletes an object whose owner never existed, but not one whose owner's kind is unknown", async () => {
    const cluster = new Cluster();
    const gone = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "no-such-uid" };
    await cluster.add(MAPS, map("lost", { ownerReferences: [gone] }));
    await cluster.add(MAPS, map("odd", { ownerReferences: [{ ...gone, kind: "Sextant" }] }));
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["odd"]);
  });

  test("treats an owner of the same name and another uid as another object", async () => {
    const cluster = new Cluster();
    const first = await cluster.add(MAPS, map("owner"));
    await cluster.delete(`${MAPS}/owner`);
    await cluster.add(MAPS, map("owner"));
    await cluster.add(MAPS, map("dependent", { ownerReferences: [owner(first)] }));
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["owner"]);
  });

  test("finishes deletions that were interrupted by a restart", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const cluster = new Cluster(scheduler);
    const top = await cluster.add(MAPS, map("top"));
    await cluster.add(MAPS, map("dependent", { ownerReferences: [owner(top)] }));
    cluster.server.close();
    await cluster.delete(`${MAPS}/top`);
    await cluster.settle();
    expect(await cluster.names(MAPS)).toEqual(["dependent"]);
    const env = new VirtualProcess(scheduler, "second");
    const again = new TestClient({ env, kinds: builtInKinds, storage: cluster.server.storage });
    await scheduler.run();
    expect((await again.get(MAPS)).body.items).toEqual([]);
  });
});

describe("a namespace", () => {
  test("has a default service account, which is recreated after a deletion", async () => {
    const cluster = new Cluster();
    await cluster.add("/api/v1/namespaces", map("team"));
    await cluster.settle();
    const accounts = "/api/v1/namespaces/team/serviceaccounts";
    expect(await cluster.names(accounts)).toEqual(["default"]);
    await cluster.delete(`${accounts}/default`);
    await cluster.settle();
    expect(await cluster.names(accounts)).toEqual(["default"]);
  });

  test("is deleted with everything in it", async () => {
    const cluster = new Cluster();
    await cluster.add("/api/v1/namespaces", map("team"));
    await cluster.add("/api/v1/namespaces/team/configmaps", map("a"));
    await cluster.add("/api/v1/namespaces/team/secrets", map("b"));
    expect((await cluster.delete("/api/v1/namespaces/team")).body.status).toMatchObject({
      phase: "Terminating",
    });
    await cluster.settle();
    expect((await cluster.get("/api/v1/namespaces/team")).status).toBe(404);
    expect((await cluster.get("/api/v1/configmaps")).body.items).toEqual([]);
  });

  test("reports what keeps it, and is deleted when that is gone", async () => {
    const cluster = new Cluster();
    await cluster.add("/api/v1/namespaces", map("team"));
    await cluster.add("/api/v1/namespaces/team/configmaps", map("a", { finalizers: ["a.b/c"] }));
    await cluster.delete("/api/v1/namespaces/team");
    await cluster.settle();
    const { body } = await cluster.get("/api/v1/namespaces/team");
    const conditions = body.status["conditions"] as { type: string; status: string; message: string }[];
    expect(conditions.filter(({ status }) => status === "True").map(({ message }) => message)).toEqual([
      "Some resources are remaining: configmaps. has 1 resource instances",
      "Some content in the namespace has finalizers remaining: a.b/c in 1 resource instances",
    ]);
    await cluster.merge("/api/v1/namespaces/team/configmaps/a", { metadata: { finalizers: null } });
    await cluster.settle();
    expect((await cluster.get("/api/v1/namespaces/team")).status).toBe(404);
  });
});

const pod = (name: string, rest: object = {}): object => ({
  metadata: { name, labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "web" }], ...rest },
});

async function withPods(count: number, budget: object): Promise<Cluster> {
  const cluster = new Cluster();
  for (let index = 0; index < count; index++) {
    await cluster.add(PODS, pod(`web-${index}`));
    await cluster.merge(`${PODS}/web-${index}/status`, {
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
  }
  const spec = { selector: { matchLabels: { app: "web" } }, ...budget };
  await cluster.add(BUDGETS, { metadata: { name: "web" }, spec });
  await cluster.settle();
  return cluster;
}

const evict = (cluster: Cluster, name: string, options: object = {}): ReturnType<Cluster["create"]> =>
  cluster.create(`${PODS}/${name}/eviction`, { kind: "Eviction", metadata: { name }, ...options });

describe("an eviction", () => {
  test("is refused while the budget is used up, and allowed when another pod is ready", async () => {
    const cluster = await withPods(2, { minAvailable: 1 });
    expect((await cluster.get(`${BUDGETS}/web`)).body.status).toMatchObject({
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
    });
    expect(await evict(cluster, "web-0")).toMatchObject({ status: 201, body: { status: "Success" } });
    const refused = await evict(cluster, "web-1");
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
    });
    await cluster.settle();
    expect((await evict(cluster, "web-1")).body.details.causes).toEqual([
      {
        reason: "DisruptionBudget",
        message: "The disruption budget web needs 1 healthy pods and has 1 currently",
      },
    ]);
    expect(await cluster.names(PODS)).toEqual(["web-1"]);
  });

  test("of a pod that never became ready is allowed if enough others are ready", async () => {
    const cluster = await withPods(1, { minAvailable: 1 });
    await cluster.add(PODS, pod("sick"));
    await cluster.merge(`${PODS}/sick/status`, { status: { phase: "Running" } });
    await cluster.settle();
    expect((await evict(cluster, "sick")).status).toBe(201);
    expect((await evict(cluster, "web-0")).status).toBe(429);
  });

  test("in a dry run uses up no budget and deletes nothing", async () => {
    const cluster = await withPods(2, { minAvailable: 1 });
    const options = { deleteOptions: { dryRun: ["All"] } };
    expect((await evict(cluster, "web-0", options)).status).toBe(201);
    expect((await cluster.get(`${BUDGETS}/web`)).body.status).toMatchObject({ disruptionsAllowed: 1 });
    expect(await cluster.names(PODS)).toEqual(["web-0", "web-1"]);
  });

  test("with two budgets for one pod is refused", async () => {
    const cluster = await withPods(1, { minAvailable: 0 });
    await cluster.add(BUDGETS, { metadata: { name: "two" }, spec: { selector: {}, minAvailable: 0 } });
    expect(await evict(cluster, "web-0")).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining("more than one PodDisruptionBudget") as string },
    });
  });

  test("counts a percentage against the desired replicas of the owner", async () => {
    const cluster = await withPods(2, { maxUnavailable: "50%" });
    const sets = "/apis/apps/v1/namespaces/default/replicasets";
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { replicas: 4, selector: { matchLabels: labels }, template };
    const set = await cluster.add(sets, { metadata: { name: "web" }, spec });
    const { apiVersion, kind, metadata } = set;
    const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
    for (const name of ["web-0", "web-1"])
      await cluster.merge(`${PODS}/${name}`, { metadata: { ownerReferences: [reference] } });
    await cluster.settle();
    expect((await cluster.get(`${BUDGETS}/web`)).body.status).toMatchObject({
      expectedPods: 4,
      desiredHealthy: 2,
      disruptionsAllowed: 0,
    });
  });
});

describe("a binding", () => {
  test("binds a pod to a node, once", async () => {
    const cluster = new Cluster();
    await cluster.add(PODS, pod("web"));
    const bind = (node: string): ReturnType<Cluster["create"]> =>
      cluster.create(`${PODS}/web/binding`, {
        kind: "Binding",
        metadata: { name: "web" },
        target: { name: node },
      });
    expect((await bind("node-a")).status).toBe(201);
    expect((await cluster.get(`${PODS}/web`)).body).toMatchObject({
      spec: { nodeName: "node-a" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    expect((await bind("node-b")).body).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "node-a"`,
    });
  });
});

describe("events", () => {
  const EVENTS = "/api/v1/namespaces/default/events";
  const event = (name: string): object => ({
    metadata: { name },
    involvedObject: { kind: "ConfigMap", name: "a", namespace: "default" },
  });
  const MINUTE_MS = 60_000;

  test("are deleted an hour after their last write, when newer ones exist", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const cluster = new Cluster(scheduler);
    for (const name of ["old", "seen-again"]) await cluster.add(EVENTS, event(name));
    await scheduler.advance(30 * MINUTE_MS);
    await cluster.merge(`${EVENTS}/seen-again`, { count: 2 });
    await scheduler.advance(30 * MINUTE_MS);
    expect(await cluster.names(EVENTS)).toEqual(["old", "seen-again"]);
    await cluster.add(EVENTS, event("new"));
    await cluster.settle();
    expect(await cluster.names(EVENTS)).toEqual(["new", "seen-again"]);
  });
});
