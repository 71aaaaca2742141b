import { builtInKind, type Frozen, type KubernetesObject, Node } from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage } from "@capstan/apiserver";
import { type Fate, type Handler, Scheduler, VirtualProcess } from "@capstan/env";
import { type Client, createClient, Failure } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { isReady } from "../readiness.ts";
import { DaemonSet, Deployment, StatefulSet, WorkloadPod } from "./workload-kinds.ts";
import { startWorkloads, type Workloads } from "./workloads.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const PodDisruptionBudget = builtInKind<KubernetesObject & { spec: object }>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
});

// An Eviction is posted to a pod of the core group, but belongs to another group.
const Eviction = {
  ...builtInKind({ group: "", version: "v1", kind: "Eviction", plural: "pods", namespaced: true }),
  apiVersion: "policy/v1",
};

const at = (name: string): { name: string; namespace: string } => ({ name, namespace: "default" });

const workload = (labels: Record<string, string>, image = "web:1") => ({
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: { containers: [{ name: "main", image, resources: { requests: { cpu: "100m" } } }] },
  },
});

/** A cluster in virtual time: an API server, the workloads, and the user's client. */
class Cluster {
  readonly scheduler = new Scheduler({ seed: "1" });
  readonly client: Client;
  /** All writes of the workloads. */
  readonly writes: string[] = [];
  readonly #handler: Handler;
  #starts = 0;

  constructor() {
    const env = new VirtualProcess(this.scheduler, "apiserver");
    this.#handler = createApiServer({ env, kinds: builtInKinds, storage: createMemoryStorage() }).handle;
    const user = new VirtualProcess(this.scheduler, "user");
    this.client = createClient({ transport: user.connect(this.#handler), env: user, fieldManager: "user" });
  }

  /** Starts the workloads; options make them crash at their first write, or their watches lag. */
  start({ firstWrite = "deliver", watchLagMs = 1 }: { firstWrite?: Fate; watchLagMs?: number } = {}): {
    process: VirtualProcess;
    running: Promise<Workloads>;
  } {
    const process = new VirtualProcess(this.scheduler, `workloads-${++this.#starts}`);
    const settings = { imageBytes: { "web:1": 100_000_000, "web:2": 100_000_000 } };
    const transport = process.connect(this.#handler, {
      lineLatencyMs: () => watchLagMs,
      fate: ({ method, path }) => {
        if (method === "GET") return "deliver";
        this.writes.push(`${method} ${path}`);
        return firstWrite;
      },
    });
    return { process, running: startWorkloads({ env: process, transport, settings }) };
  }

  async run<R>(promise: Promise<R>): Promise<R> {
    let settled = false;
    const done = promise.finally(() => (settled = true));
    done.catch(() => undefined);
    await this.scheduler.run({ until: () => settled });
    return done;
  }

  async addNode(name: string, spec: NonNullable<Node["spec"]> = {}): Promise<void> {
    const status = {
      allocatable: { cpu: "2", memory: "4Gi", pods: "20" },
      conditions: [{ type: "Ready", status: "True" as const }],
    };
    await this.run(this.client.create(Node, { metadata: { name }, spec }));
    await this.setStatus(name, status);
  }

  async setStatus(name: string, status: object): Promise<void> {
    await this.run(
      this.client.patch(Node, { name }, { type: "merge", subresource: "status", body: { status } }),
    );
  }

  async pods(app?: string): Promise<Frozen<WorkloadPod>[]> {
    const query = { namespace: "default", ...(app !== undefined && { labelSelector: `app=${app}` }) };
    return [...(await this.run(this.client.list(WorkloadPod, query)))];
  }

  /** The number of Ready pods on each node. */
  async spread(app: string): Promise<Record<string, number>> {
    const spread: Record<string, number> = {};
    for (const pod of await this.pods(app)) {
      const node = `${pod.spec?.nodeName ?? "nowhere"}${isReady(pod) ? "" : " (not ready)"}`;
      spread[node] = (spread[node] ?? 0) + 1;
    }
    return spread;
  }

  /** Evicts a pod; returns false when a budget refuses it. */
  async evict(name: string): Promise<boolean> {
    try {
      await this.run(this.client.create(Eviction, { metadata: at(name) }, { subresource: "eviction" }));
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }
}

async function withDeployment(): Promise<Cluster> {
  const cluster = new Cluster();
  await cluster.addNode("a");
  await cluster.addNode("b");
  const spec = { replicas: 4, ...workload({ app: "web" }) };
  await cluster.run(cluster.client.create(Deployment, { metadata: at("web"), spec }));
  await cluster.run(cluster.start().running);
  await cluster.scheduler.advance(MINUTE);
  return cluster;
}

describe("workloads", () => {
  test("a Deployment of 4 runs 2 and 2 pods on two nodes, and reports that it is complete", async () => {
    const cluster = await withDeployment();
    expect(await cluster.spread("web")).toEqual({ a: 2, b: 2 });
    const { status } = await cluster.run(cluster.client.get(Deployment, at("web")));
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      availableReplicas: 4,
    });
    const [pod] = await cluster.pods("web");
    expect(pod?.status).toMatchObject({
      phase: "Running",
      containerStatuses: [{ name: "main", ready: true, image: "web:1" }],
    });
    const { status: node } = await cluster.run(cluster.client.get(Node, { name: "a" }));
    expect(node?.images).toEqual([{ names: ["web:1"], sizeBytes: 100_000_000 }]);
  });

  test("a drain moves pods one by one and never leaves fewer Ready pods than the budget allows", async () => {
    const cluster = await withDeployment();
    const budget = { minAvailable: 3, selector: { matchLabels: { app: "web" } } };
    await cluster.run(cluster.client.create(PodDisruptionBudget, { metadata: at("web"), spec: budget }));
    await cluster.scheduler.advance(SECOND);
    await cluster.run(
      cluster.client.patch(Node, { name: "a" }, { type: "merge", body: { spec: { unschedulable: true } } }),
    );
    let [refused, lowest] = [0, 4];
    for (let second = 0; second < 120; second++) {
      const pods = await cluster.pods("web");
      lowest = Math.min(lowest, pods.filter(isReadyAndStaying).length);
      for (const { spec, metadata } of pods.filter(isReadyAndStaying)) {
        if (spec?.nodeName === "a" && !(await cluster.evict(metadata.name))) refused++;
      }
      await cluster.scheduler.advance(SECOND);
    }
    expect(await cluster.spread("web")).toEqual({ b: 4 });
    expect(lowest).toBe(3);
    expect(refused).toBeGreaterThan(0);
  });

  test("pods of a deleted node are replaced elsewhere after the timeout", async () => {
    const cluster = await withDeployment();
    await cluster.run(cluster.client.delete(Node, { name: "b" }));
    await cluster.scheduler.advance(4 * MINUTE);
    expect(await cluster.spread("web")).toEqual({ a: 2, "b (not ready)": 2 });
    await cluster.scheduler.advance(2 * MINUTE);
    expect(await cluster.spread("web")).toEqual({ a: 4 });
  });

  test("pods of an unready node are replaced after their toleration time, and stay", async () => {
    const cluster = await withDeployment();
    await cluster.setStatus("b", { conditions: [{ type: "Ready", status: "Unknown" }] });
    await cluster.scheduler.advance(6 * MINUTE);
    expect(await cluster.spread("web")).toEqual({ a: 4, "b (not ready)": 2 });
    await cluster.setStatus("b", { conditions: [{ type: "Ready", status: "True" }] });
    await cluster.scheduler.advance(MINUTE);
    expect(await cluster.spread("web")).toEqual({ a: 4 });
  });

  test("a new template replaces all pods within the limits of the strategy", async () => {
    const cluster = await withDeployment();
    const { template } = workload({ app: "web" }, "web:2");
    await cluster.run(
      cluster.client.patch(Deployment, at("web"), { type: "merge", body: { spec: { template } } }),
    );
    let lowest = 4;
    for (let second = 0; second < 90; second++) {
      await cluster.scheduler.advance(SECOND);
      lowest = Math.min(lowest, (await cluster.pods("web")).filter(isReadyAndStaying).length);
    }
    expect(lowest).toBe(3);
    const images = (await cluster.pods("web")).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(["web:2", "web:2", "web:2", "web:2"]);
  });

  test("a DaemonSet follows the nodes", async () => {
    const cluster = new Cluster();
    await cluster.addNode("a");
    await cluster.run(
      cluster.client.create(DaemonSet, { metadata: at("log"), spec: workload({ app: "log" }) }),
    );
    await cluster.run(cluster.start().running);
    await cluster.scheduler.advance(MINUTE);
    expect(await cluster.spread("log")).toEqual({ a: 1 });
    await cluster.addNode("b", { unschedulable: true });
    await cluster.addNode("c", { taints: [{ key: "gpu", effect: "NoSchedule" }] });
    await cluster.scheduler.advance(MINUTE);
    expect(await cluster.spread("log")).toEqual({ a: 1, b: 1 });
    await cluster.run(cluster.client.delete(Node, { name: "a" }));
    await cluster.scheduler.advance(6 * MINUTE);
    expect(await cluster.spread("log")).toEqual({ b: 1 });
    const { status } = await cluster.run(cluster.client.get(DaemonSet, at("log")));
    expect(status).toMatchObject({ desiredNumberScheduled: 1, numberReady: 1 });
  });

  test("a StatefulSet starts its pods in order", async () => {
    const cluster = new Cluster();
    await cluster.addNode("a");
    const spec = { serviceName: "db", replicas: 3, ...workload({ app: "db" }) };
    await cluster.run(cluster.client.create(StatefulSet, { metadata: at("db"), spec }));
    await cluster.run(cluster.start().running);
    const seen: string[] = [];
    for (let second = 0; second < 60; second++) {
      const names = (await cluster.pods("db")).map((pod) => `${pod.metadata.name}${isReady(pod) ? "+" : ""}`);
      if (names.join(" ") !== seen.at(-1)) seen.push(names.join(" "));
      await cluster.scheduler.advance(SECOND);
    }
    expect(seen.filter((line) => line !== "")).toEqual([
      "db-0",
      "db-0+ db-1",
      "db-0+ db-1+ db-2",
      "db-0+ db-1+ db-2+",
    ]);
  });

  test("a pod that fits no node reports why, and is placed when a fitting node appears", async () => {
    const cluster = new Cluster();
    await cluster.addNode("a", { unschedulable: true });
    const { spec } = workload({}).template;
    await cluster.run(cluster.client.create(WorkloadPod, { metadata: at("solo"), spec }));
    await cluster.run(cluster.start().running);
    await cluster.scheduler.advance(SECOND);
    const [pending] = await cluster.pods();
    expect(pending?.status?.conditions).toMatchObject([
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: "0/1 nodes are available: 1 node(s) were unschedulable.",
      },
    ]);
    await cluster.addNode("b");
    await cluster.scheduler.advance(MINUTE);
    const [placed] = await cluster.pods();
    expect([placed?.spec?.nodeName, placed && isReady(placed)]).toEqual(["b", true]);
  });

  test("a crash before or after every write neither loses nor repeats work", async () => {
    const cluster = new Cluster();
    await cluster.addNode("a");
    await cluster.addNode("b");
    const spec = { replicas: 4, ...workload({ app: "web" }) };
    await cluster.run(cluster.client.create(Deployment, { metadata: at("web"), spec }));
    let crashes = 0;
    for (let hasCrashed = true; hasCrashed; crashes++) {
      const { process, running } = cluster.start({
        firstWrite: crashes % 2 === 0 ? "crashAfter" : "crashBefore",
      });
      running.catch(() => undefined);
      const untilMs = cluster.scheduler.monotonicMs + MINUTE;
      await cluster.scheduler.run({ until: () => process.crashed, untilMs });
      hasCrashed = process.crashed;
    }
    expect(crashes).toBeGreaterThan(40);
    expect(await cluster.spread("web")).toEqual({ a: 2, b: 2 });
  });

  test("settled workloads cause no writes", async () => {
    const cluster = await withDeployment();
    const spec = { serviceName: "db", ...workload({ app: "db" }) };
    await cluster.run(cluster.client.create(StatefulSet, { metadata: at("db"), spec }));
    await cluster.run(
      cluster.client.create(DaemonSet, { metadata: at("log"), spec: workload({ app: "log" }) }),
    );
    await cluster.scheduler.advance(MINUTE);
    const before = cluster.writes.length;
    await cluster.scheduler.advance(60 * MINUTE);
    expect(cluster.writes.slice(before)).toEqual([]);
  });

  test("pods of a node that was deleted and created with the same name restart in place", async () => {
    const cluster = await withDeployment();
    await cluster.run(cluster.client.delete(Node, { name: "b" }));
    await cluster.scheduler.advance(MINUTE);
    await cluster.addNode("b");
    await cluster.scheduler.advance(3 * SECOND);
    expect(await cluster.spread("web")).toEqual({ a: 2, "b (not ready)": 2 });
    await cluster.scheduler.advance(MINUTE);
    expect(await cluster.spread("web")).toEqual({ a: 2, b: 2 });
    const restarts = (await cluster.pods("web")).map(
      ({ spec, status }) => `${spec?.nodeName} ${status?.containerStatuses?.[0]?.restartCount}`,
    );
    expect(restarts.sort()).toEqual(["a 0", "a 0", "b 1", "b 1"]);
  });

  test("pods are spread although the watches lag behind", async () => {
    const cluster = new Cluster();
    await cluster.addNode("a");
    await cluster.addNode("b");
    const { spec } = workload({ app: "web" }).template;
    const pods = ["w-1", "w-2", "w-3", "w-4"].map((name) =>
      cluster.client.create(WorkloadPod, { metadata: { ...at(name), labels: { app: "web" } }, spec }),
    );
    await cluster.run(Promise.all(pods));
    await cluster.run(cluster.start({ watchLagMs: 2 * SECOND }).running);
    await cluster.scheduler.advance(MINUTE);
    expect(await cluster.spread("web")).toEqual({ a: 2, b: 2 });
  });

  test("closing cancels all writes, also scheduled ones", async () => {
    const cluster = new Cluster();
    await cluster.addNode("a");
    const { spec } = workload({}).template;
    await cluster.run(cluster.client.create(WorkloadPod, { metadata: at("pulling"), spec }));
    const workloads = await cluster.run(cluster.start().running);
    await cluster.scheduler.advance(SECOND);
    await cluster.run(workloads.close());
    const before = cluster.writes.length;
    expect(before).toBe(2);
    await cluster.run(cluster.client.create(WorkloadPod, { metadata: at("new"), spec }));
    await cluster.scheduler.advance(MINUTE);
    expect(cluster.writes.slice(before)).toEqual([]);
  });
});

function isReadyAndStaying(pod: Frozen<WorkloadPod>): boolean {
  return isReady(pod) && pod.metadata.deletionTimestamp === undefined;
}
