import { type Cluster, Namespace, Node, type Secret } from "@capstan/api";
import { Scheduler, type Transport, TransportError, VirtualProcess } from "@capstan/env";
import { type Failure, silentLogger } from "@capstan/runtime";
import { cluster, node, secret } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import type { WorkloadCluster } from "./connection.ts";
import { WorkloadClusters } from "./workload-clusters.ts";

const MINUTE_MS = 60_000;

/** A server with one Node, and connections to it. */
class Harness {
  readonly scheduler = new Scheduler({ seed: "workload" });
  readonly env = new VirtualProcess(this.scheduler, "manager");
  readonly asked: string[] = [];
  readonly opened: string[] = [];
  readonly closed: string[] = [];
  secret: Secret | undefined = kubeconfigSecret("https://host:6443", "1");
  isUp = true;
  mayReadNodes = true;
  readonly aborted: string[] = [];
  readonly workloads = new WorkloadClusters({
    env: this.env,
    log: silentLogger,
    readSecret: (namespace, name) => {
      this.asked.push(`secret ${namespace}/${name}`);
      return Promise.resolve(this.secret);
    },
    connect: ({ server }) => this.#open(server),
  });

  #open(server: string): Transport {
    this.opened.push(server);
    const transport = this.env.connect(({ path, signal }) => {
      this.asked.push(path.split("?")[0] ?? "");
      signal?.addEventListener("abort", () => this.aborted.push(path));
      if (!this.isUp) return new Promise(() => undefined);
      if (path.includes("/nodes") && !this.mayReadNodes)
        return Promise.reject(new TransportError("reset", "the connection broke"));
      const body = path.includes("/nodes")
        ? {
            metadata: { resourceVersion: "1" },
            items: [node({ metadata: { resourceVersion: "1" }, spec: { providerID: "azure:///A/b" } })],
          }
        : {};
      const text = JSON.stringify(body);
      const isWatch = path.includes("watch=true");
      return Promise.resolve({
        status: 200,
        headers: {},
        json: () => Promise.resolve(JSON.parse(text)),
        text: () => Promise.resolve(text),
        async *lines() {
          if (isWatch) yield await new Promise(() => undefined);
        },
      });
    });
    return {
      request: (request) => transport.request(request),
      close: () => {
        this.closed.push(server);
        return Promise.resolve();
      },
    };
  }

  async get(object: Cluster = demo()): Promise<string> {
    let outcome: string | undefined;
    this.workloads.get(object).then(
      () => (outcome = "answers"),
      (error: { reason: string }) => (outcome = error.reason),
    );
    await this.scheduler.run({ until: () => outcome !== undefined });
    return outcome ?? "";
  }

  /** Looks up the Node of the machine; `reported` has its name or the failure afterwards. */
  askForNode(found: Promise<WorkloadCluster> = this.workloads.get(demo())): { reported?: string } {
    const answer: { reported?: string } = {};
    void found
      .then((one) => one.nodes())
      .then(
        (nodes) =>
          (answer.reported = nodes.of("azure:///a/B").map(({ metadata }) => metadata.name)[0] ?? "none"),
        ({ reason, message }: Failure) => (answer.reported = `${reason}: ${message}`),
      );
    return answer;
  }

  async node(): Promise<string> {
    const answer = this.askForNode();
    await this.scheduler.run({ until: () => answer.reported !== undefined });
    return answer.reported ?? "";
  }
}

function demo(metadata: Partial<Cluster["metadata"]> = {}): Cluster {
  return cluster({
    metadata: { name: "demo", uid: "u1", ...metadata },
    spec: { controlPlaneEndpoint: { host: "host", port: 6443 } },
  });
}

function kubeconfigSecret(server: string, resourceVersion: string): Secret {
  const text = JSON.stringify({
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
  return secret({
    metadata: { name: "demo-kubeconfig", uid: "s", resourceVersion },
    data: { value: Buffer.from(text).toString("base64") },
  });
}

const PROBE = "/api/v1/namespaces/kube-system";

describe("the connection to a workload cluster", () => {
  test("is opened on the first request, and probed once a minute", async () => {
    const harness = new Harness();
    expect(harness.opened).toEqual([]);
    for (let time = 0; time < 10; time++) {
      expect(await harness.get()).toBe("answers");
      await harness.scheduler.advance(MINUTE_MS / 2);
    }
    expect(harness.opened).toEqual(["https://host:6443"]);
    const probes = harness.asked.filter((path) => path === PROBE).length;
    expect(probes).toBeGreaterThanOrEqual(4);
    expect(probes).toBeLessThanOrEqual(5);
    expect(harness.asked.filter((path) => path.startsWith("secret"))).toEqual([
      "secret default/demo-kubeconfig",
    ]);
    expect(
      [Namespace.plural, Node.plural].filter((plural) => harness.asked.includes(`/api/v1/${plural}`)),
    ).toEqual([]);
  });

  test("makes the first caller wait two seconds, and no other while the server does not answer", async () => {
    const harness = new Harness();
    harness.isUp = false;
    expect(await harness.get()).toBe("WorkloadClusterConnecting");
    expect(harness.scheduler.monotonicMs).toBe(2_000);
    // Long enough for the next attempt to start with the first of these.
    await harness.scheduler.advance(40_000);
    const beforeMs = harness.scheduler.monotonicMs;
    for (let time = 0; time < 5; time++) expect(await harness.get()).toBe("WorkloadClusterUnreachable");
    expect(harness.scheduler.monotonicMs).toBe(beforeMs);
    harness.isUp = true;
    await harness.scheduler.advance(MINUTE_MS);
    await harness.get();
    await harness.scheduler.advance(1_000);
    expect(await harness.get()).toBe("answers");
  });

  test("aborts a probe that is not answered in time, and every request when it is closed", async () => {
    const harness = new Harness();
    harness.isUp = false;
    await harness.get();
    expect(harness.aborted).toEqual([]);
    await harness.scheduler.advance(10_000);
    expect(harness.aborted).toEqual([PROBE]);
    expect(await harness.get()).toBe("WorkloadClusterUnreachable");
    await harness.scheduler.advance(MINUTE_MS);
    await harness.get();
    await harness.scheduler.advance(1_000);
    harness.workloads.close();
    await harness.scheduler.advance(1);
    expect(harness.aborted).toEqual([PROBE, PROBE]);
  });

  test("is reopened when the Secret changes, and closed when the Secret is deleted", async () => {
    const harness = new Harness();
    await harness.get();
    harness.secret = kubeconfigSecret("https://host:8443", "2");
    await harness.scheduler.advance(6 * MINUTE_MS);
    expect(await harness.get()).toBe("answers");
    expect([harness.opened.at(-1), harness.closed]).toEqual(["https://host:8443", ["https://host:6443"]]);
    harness.secret = undefined;
    await harness.scheduler.advance(6 * MINUTE_MS);
    expect(await harness.get()).toBe("WaitingForKubeconfig");
    expect(harness.closed).toEqual(["https://host:6443", "https://host:8443"]);
  });

  test("is closed when the Cluster is deleted or recreated, or after half an hour without a request", async () => {
    const harness = new Harness();
    await harness.get();
    harness.workloads.drop({ name: "demo", namespace: "default" });
    expect(harness.closed).toHaveLength(1);
    await harness.get();
    await harness.get(demo({ uid: "u2" }));
    expect(harness.closed).toHaveLength(2);
    await harness.scheduler.advance(61 * MINUTE_MS);
    expect(harness.closed).toHaveLength(3);
  });

  test("is not shared by Clusters with similar names", async () => {
    const harness = new Harness();
    await harness.get();
    await harness.get(demo({ name: "demo-1" }));
    await harness.get(demo({ namespace: "other" }));
    expect(harness.asked.filter((path) => path.startsWith("secret"))).toEqual([
      "secret default/demo-kubeconfig",
      "secret default/demo-1-kubeconfig",
      "secret other/demo-kubeconfig",
    ]);
    harness.workloads.drop({ name: "demo", namespace: "default" });
    expect(harness.closed).toHaveLength(1);
  });

  test("shows Nodes by the ids of their machines, in any case that Azure writes", async () => {
    expect(await new Harness().node()).toBe(NODE);
  });
});

const NODE = node().metadata.name;

describe("the Nodes of a workload cluster", () => {
  test("are known as long as the server answers, even without events", async () => {
    const harness = new Harness();
    for (let time = 0; time < 180; time++) {
      expect(await harness.node()).toBe(NODE);
      await harness.scheduler.advance(MINUTE_MS / 3);
    }
  });

  test("are unknown after five minutes without a successful read, until one succeeds", async () => {
    const harness = new Harness();
    expect(await harness.node()).toBe(NODE);
    const since = new Date(harness.scheduler.wallMs).toISOString().slice(0, 16);
    harness.mayReadNodes = false;
    await harness.scheduler.advance(4 * MINUTE_MS);
    expect(await harness.node()).toBe(NODE);
    await harness.scheduler.advance(MINUTE_MS);
    const reported = await harness.node();
    expect(reported).toContain(
      `WaitingForNodes: The Nodes of the workload cluster could not be read since ${since}`,
    );
    const beforeMs = harness.scheduler.monotonicMs;
    for (let time = 0; time < 5; time++) expect(await harness.node()).toBe(reported);
    expect(harness.scheduler.monotonicMs, "no caller waits again").toBe(beforeMs);
    harness.mayReadNodes = true;
    await harness.scheduler.advance(MINUTE_MS);
    expect(await harness.node()).toBe(NODE);
  });

  test("are known to a process after a stall, as soon as it has listed them", async () => {
    const harness = new Harness();
    expect(await harness.node()).toBe(NODE);
    const found = harness.workloads.get(demo());
    let answer: { reported?: string } = {};
    harness.env.clock.timer(MINUTE_MS, () => {
      answer = harness.askForNode(found);
    });
    harness.env.stall(20 * MINUTE_MS);
    await harness.scheduler.advance(20 * MINUTE_MS + 1_000);
    expect(answer.reported).toBe(NODE);
  });
});
