import { EtcdClusters } from "../etcd/etcd-clusters.ts";
import { Cluster, ConfigMap, customKinds, type Frozen, Namespace, Node, Secret } from "@capstan/api";
import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Fate, type Link, Scheduler, TransportError, VirtualProcess } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { isReady } from "../readiness.ts";
import { Deployment, WorkloadPod } from "../workloads/workload-kinds.ts";
import { type ControlPlanes, startControlPlanes } from "./control-planes.ts";
import type { ControlPlaneKind } from "./decide.ts";
import type { ControlPlaneHost, HostedControlPlane } from "./host.ts";

const MINUTE_MS = 60_000;

/** A management cluster and logical clusters in memory, on one virtual clock. */
class Story {
  readonly scheduler = new Scheduler({ seed: "1" });
  readonly servers = new Map<string, ApiServer>();
  readonly management: ApiServer;
  readonly user: Client;
  /** All writes to the management cluster but the user's. */
  readonly writes: string[] = [];
  /** The base URL in kubeconfigs; a restart changes the port. */
  port = 6443;
  #processes = 0;

  constructor() {
    this.management = createApiServer({
      env: this.process("management"),
      kinds: [...builtInKinds, ...customKinds],
    });
    this.user = this.clientOf(this.management);
  }

  process(name: string): VirtualProcess {
    return new VirtualProcess(this.scheduler, `${name}-${++this.#processes}`);
  }

  clientOf(server: ApiServer): Client {
    const env = this.process("user");
    return createClient({ env, transport: env.connect(server.handle), fieldManager: "user" });
  }

  /** A client of a logical cluster. */
  inside(name: string): Client {
    const server = this.servers.get(name);
    if (!server)
      throw new Error(`there is no logical cluster ${name}; there is: ${[...this.servers.keys()].join()}`);
    return this.clientOf(server);
  }

  start({
    fate = () => "deliver",
    yieldTo = [],
  }: {
    fate?: NonNullable<Link["fate"]>;
    yieldTo?: readonly ControlPlaneKind[];
  } = {}): ControlPlanes {
    const env = this.process("control-planes");
    const noted: NonNullable<Link["fate"]> = (request) => {
      if (request.method !== "GET") this.writes.push(`${request.method} ${request.path}`);
      return fate(request);
    };
    const management = env.connect(this.management.handle, { fate: noted });
    return startControlPlanes({
      env,
      management,
      host: this.#host(env, { fate }),
      yieldTo,
      etcd: new EtcdClusters(),
    });
  }

  async run<R>(promise: Promise<R>): Promise<R> {
    let isSettled = false;
    const done = promise.finally(() => (isSettled = true));
    done.catch(() => undefined);
    await this.scheduler.run({ until: () => isSettled });
    return done;
  }

  async started(): Promise<ControlPlanes> {
    const planes = this.start();
    await this.run(planes.ready);
    await this.scheduler.advance(MINUTE_MS);
    return planes;
  }

  async createCluster(name: string, { namespace = "default", spec = {} } = {}): Promise<void> {
    const controlPlaneRef = {
      apiGroup: "controlplane.cluster.x-k8s.io",
      kind: "KubeadmControlPlane",
      name,
    };
    await this.run(
      this.user.create(Cluster, { metadata: { name, namespace }, spec: { controlPlaneRef, ...spec } }),
    );
    await this.scheduler.advance(MINUTE_MS);
  }

  get(name: string, namespace = "default"): Promise<Frozen<Cluster>> {
    return this.run(this.user.get(Cluster, { name, namespace }));
  }

  secret(name: string, namespace = "default"): Promise<Frozen<Secret> | undefined> {
    return this.run(this.user.find(Secret, { name, namespace }));
  }

  #host(env: VirtualProcess, link: Link): ControlPlaneHost {
    const { servers } = this;
    return {
      add: async (name): Promise<HostedControlPlane> => {
        const server = servers.get(name) ?? createApiServer({ env: this.process(name), kinds: builtInKinds });
        servers.set(name, server);
        const cluster = {
          server: `https://127.0.0.1:${this.port}/${name}`,
          "certificate-authority-data": "Q0E=",
        };
        const kubeconfig = JSON.stringify({ clusters: [{ name, cluster }] });
        return { transport: env.connect(server.handle, link), kubeconfig, caCertHash: "sha256:00" };
      },
      remove: async (name) => void servers.delete(name),
      names: () => [...servers.keys()],
    };
  }
}

const valueOf = (secret: Frozen<Secret> | undefined): string =>
  Buffer.from(secret?.data?.["value"] ?? "", "base64").toString();

describe("a Cluster without infrastructure", () => {
  test("gets an endpoint, a kubeconfig and a logical cluster for machines to join", async () => {
    const story = new Story();
    const planes = await story.started();
    await story.createCluster("demo");
    const cluster = await story.get("demo");
    expect(cluster.spec.controlPlaneEndpoint).toEqual({ host: "demo.default.capstan.internal", port: 6443 });
    expect(planes.clusterAt("demo.default.capstan.internal:6443")).toMatchObject({
      name: "demo",
      caCertHash: "sha256:00",
    });
    const secret = await story.secret("demo-kubeconfig");
    expect(secret).toMatchObject({
      type: "cluster.x-k8s.io/secret",
      metadata: {
        labels: { "cluster.x-k8s.io/cluster-name": "demo" },
        ownerReferences: [{ kind: "Cluster", name: "demo", uid: cluster.metadata.uid }],
      },
    });
    expect(valueOf(secret)).toContain("https://127.0.0.1:6443/demo");
    const info = await story.run(
      story.inside("demo").get(ConfigMap, { namespace: "kube-public", name: "cluster-info" }),
    );
    expect(info.data?.["kubeconfig"]).toBe(`apiVersion: v1
kind: Config
clusters:
- name: ""
  cluster:
    certificate-authority-data: Q0E=
    server: https://127.0.0.1:6443/demo
`);
  });

  test("runs workloads", async () => {
    const story = new Story();
    await story.started();
    await story.createCluster("demo");
    const client = story.inside("demo");
    await story.run(client.create(Node, { metadata: { name: "n" } }));
    const status = {
      allocatable: { cpu: "2", memory: "4Gi", pods: "20" },
      conditions: [{ type: "Ready", status: "True" }],
    };
    await story.run(
      client.patch(Node, { name: "n" }, { type: "merge", subresource: "status", body: { status } }),
    );
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "web:1" }] },
    };
    const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
    await story.run(client.create(Deployment, { metadata: { name: "web", namespace: "default" }, spec }));
    await story.scheduler.advance(5 * MINUTE_MS);
    expect((await story.run(client.list(WorkloadPod))).map(isReady)).toEqual([true, true]);
  });
});

describe("control planes", () => {
  test("leave the endpoint to the infrastructure, and find the cluster by that endpoint", async () => {
    const story = new Story();
    const planes = await story.started();
    const reported: string[] = [];
    planes.onEndpoint((endpoint) => reported.push(endpoint));
    await story.createCluster("demo", {
      spec: {
        infrastructureRef: {
          apiGroup: "infrastructure.cluster.x-k8s.io",
          kind: "AzureCluster",
          name: "demo",
        },
      },
    });
    expect((await story.get("demo")).spec.controlPlaneEndpoint).toBeUndefined();
    expect([...story.servers.keys()]).toEqual(["demo"]);
    expect(reported).toEqual([]);
    const body = { spec: { controlPlaneEndpoint: { host: "Demo.Example.com", port: 443 } } };
    const place = { name: "demo", namespace: "default" };
    await story.run(story.user.patch(Cluster, place, { type: "merge", body }));
    await story.scheduler.advance(MINUTE_MS);
    expect(planes.clusterAt("demo.example.com:443")?.name).toBe("demo");
    expect(new Set(reported)).toEqual(new Set(["demo.example.com:443"]));
  });

  test("separate Clusters with the same name in two namespaces", async () => {
    const story = new Story();
    const planes = await story.started();
    await story.run(story.user.create(Namespace, { metadata: { name: "team" } }));
    await story.createCluster("demo");
    await story.createCluster("demo", { namespace: "team" });
    expect([...story.servers.keys()]).toEqual(["demo", expect.stringMatching(/^team-demo--/)]);
    const [own, other] = ["default", "team"].map((space) =>
      planes.clusterAt(`demo.${space}.capstan.internal:6443`),
    );
    expect(own?.transport).not.toBe(other?.transport);
    expect(valueOf(await story.secret("demo-kubeconfig", "team"))).toContain("/team-demo--");
  });

  test("restore a kubeconfig that was changed or removed", async () => {
    const story = new Story();
    await story.started();
    await story.createCluster("demo");
    const place = { name: "demo-kubeconfig", namespace: "default" };
    const desired = valueOf(await story.secret("demo-kubeconfig"));
    const bad = { metadata: { labels: null }, data: { value: "AAAA" } };
    await story.run(story.user.patch(Secret, place, { type: "merge", body: bad }));
    await story.scheduler.advance(MINUTE_MS);
    const repaired = await story.secret("demo-kubeconfig");
    expect(valueOf(repaired)).toBe(desired);
    expect(repaired?.metadata.labels).toEqual({ "cluster.x-k8s.io/cluster-name": "demo" });
    await story.run(story.user.delete(Secret, place));
    await story.scheduler.advance(MINUTE_MS);
    expect(valueOf(await story.secret("demo-kubeconfig"))).toBe(desired);
  });

  test("do not touch a Secret of another client", async () => {
    const story = new Story();
    await story.run(
      story.user.create(Secret, {
        metadata: { name: "demo-kubeconfig", namespace: "default" },
        type: "Opaque",
        stringData: { value: "mine" },
      }),
    );
    await story.started();
    await story.createCluster("demo");
    expect(valueOf(await story.secret("demo-kubeconfig"))).toBe("mine");
  });

  test("remove a logical cluster with its Cluster, and start the next one with that name empty", async () => {
    const story = new Story();
    const planes = await story.started();
    await story.createCluster("demo");
    const { transport } = planes.clusterAt("demo.default.capstan.internal:6443") ?? {};
    await story.run(story.inside("demo").create(Node, { metadata: { name: "n" } }));
    await story.run(story.user.delete(Cluster, { name: "demo", namespace: "default" }));
    await story.scheduler.advance(MINUTE_MS);
    expect([planes.count(), story.servers.size]).toEqual([0, 0]);
    expect(planes.clusterAt("demo.default.capstan.internal:6443")).toBeUndefined();
    const late = transport?.request({ method: "GET", path: "/api/v1/nodes", headers: {} });
    await expect(late).rejects.toThrow(TransportError);
    await story.createCluster("demo");
    expect(await story.run(story.inside("demo").list(Node))).toEqual([]);
  });

  test("go on without a Cluster that was paused and moved away, and take it back with its Nodes", async () => {
    const story = new Story();
    let planes = await story.started();
    await story.createCluster("demo");
    await story.run(story.inside("demo").create(Node, { metadata: { name: "n" } }));
    const endpoint = "demo.default.capstan.internal:6443";
    const moveAway = async (): Promise<Frozen<Cluster>["spec"]> => {
      const name = { name: "demo", namespace: "default" };
      const pause = { type: "merge", body: { spec: { paused: true } } } as const;
      const { spec } = await story.run(story.user.patch(Cluster, name, pause));
      await story.scheduler.advance(MINUTE_MS);
      await story.run(story.user.delete(Cluster, name));
      await story.scheduler.advance(MINUTE_MS);
      return spec;
    };
    const nodes = async (): Promise<readonly string[]> =>
      (await story.run(story.inside("demo").list(Node))).map(({ metadata }) => metadata.name);

    const spec = await moveAway();
    expect([planes.clusterAt(endpoint)?.name, await nodes()]).toEqual(["demo", ["n"]]);
    await story.createCluster("demo", { spec });
    expect([planes.count(), planes.clusterAt(endpoint)?.name, await nodes()]).toEqual([1, "demo", ["n"]]);

    await moveAway();
    await story.run(planes.close());
    planes = await story.started();
    await story.createCluster("demo", { spec });
    expect([planes.clusterAt(endpoint)?.name, await nodes()]).toEqual(["demo", ["n"]]);

    await moveAway();
    await story.createCluster("demo");
    expect(await nodes(), "another Cluster with that name has no endpoint at first").toEqual([]);
  });

  test("do the same for a Cluster that was deleted and created between two reconciles", async () => {
    const story = new Story();
    await story.started();
    await story.createCluster("demo");
    await story.run(story.inside("demo").create(Node, { metadata: { name: "n" } }));
    const remove = story.user.delete(Cluster, { name: "demo", namespace: "default" });
    const again = remove.then(() => story.createCluster("demo"));
    await story.run(again);
    expect(await story.run(story.inside("demo").list(Node))).toEqual([]);
  });

  test("continue after a restart without a write", async () => {
    const story = new Story();
    const first = await story.started();
    await story.createCluster("demo");
    await story.run(story.inside("demo").create(Node, { metadata: { name: "n" } }));
    await story.run(first.close());
    story.writes.length = 0;
    const versions = (): unknown[] =>
      [story.management, ...story.servers.values()].map(({ storage }) => storage.resourceVersion);
    const before = versions();
    const planes = await story.started();
    await story.scheduler.advance(60 * MINUTE_MS);
    expect([planes.count(), story.writes, versions()]).toEqual([1, [], before]);
  });

  test("update the kubeconfig after a restart on another port", async () => {
    const story = new Story();
    const first = await story.started();
    await story.createCluster("demo");
    await story.run(first.close());
    story.port = 7000;
    await story.started();
    expect(valueOf(await story.secret("demo-kubeconfig"))).toContain("https://127.0.0.1:7000/demo");
  });

  test("notice changes of Clusters while they did not run", async () => {
    const story = new Story();
    const first = await story.started();
    await story.createCluster("gone");
    await story.createCluster("again");
    await story.run(story.inside("again").create(Node, { metadata: { name: "n" } }));
    await story.run(first.close());
    for (const name of ["gone", "again"])
      await story.run(story.user.delete(Cluster, { name, namespace: "default" }));
    await story.createCluster("again");
    await story.started();
    expect([...story.servers.keys()]).toEqual(["again"]);
    expect(await story.run(story.inside("again").list(Node))).toEqual([]);
  });

  test("that crash before or after every write reach the same end state", async () => {
    const story = new Story();
    await story.createCluster("demo");
    let crashes = 0;
    for (let hasCrashed = true; hasCrashed;) {
      hasCrashed = false;
      const fate = ({ method }: { method: string }): Fate => {
        if (method === "GET") return "deliver";
        hasCrashed = true;
        return crashes % 2 === 0 ? "crashAfter" : "crashBefore";
      };
      story.start({ fate });
      const untilMs = story.scheduler.monotonicMs + MINUTE_MS;
      await story.scheduler.run({ until: () => hasCrashed, untilMs });
      if (hasCrashed) crashes++;
    }
    // The ConfigMap in the cluster, the endpoint and the Secret: each is written once, after one lost attempt.
    expect(crashes).toBe(5);
    expect(endpointsOf(await story.get("demo"))).toBe("demo.default.capstan.internal:6443");
    expect(valueOf(await story.secret("demo-kubeconfig"))).toContain("/demo");
  });

  test("do nothing after they are closed", async () => {
    const story = new Story();
    const planes = await story.started();
    await story.run(planes.close());
    await story.createCluster("demo");
    expect([story.servers.size, await story.secret("demo-kubeconfig")]).toEqual([0, undefined]);
  });
});

function endpointsOf({ spec }: Frozen<Cluster>): string {
  return `${spec.controlPlaneEndpoint?.host}:${spec.controlPlaneEndpoint?.port}`;
}

test("a Cluster whose control plane has a controller gets no stand-in; the kind of its controlPlaneRef decides", async () => {
  const story = new Story();
  const kcp = { group: "controlplane.cluster.x-k8s.io", kind: "KubeadmControlPlane" };
  const planes = story.start({ yieldTo: [kcp] });
  await story.run(planes.ready);
  const refTo = (apiGroup: string) => ({ apiGroup, kind: "KubeadmControlPlane", name: "a" });
  await story.createCluster("ours", {
    spec: { controlPlaneRef: refTo("controlplane.cluster.x-k8s.io") },
  });
  await story.createCluster("other", { spec: { controlPlaneRef: refTo("rockets.example.com") } });
  expect([...story.servers.keys()]).toEqual(["other"]);
  expect(await story.secret("ours-kubeconfig")).toBeUndefined();
  expect(await story.secret("other-kubeconfig")).toBeDefined();
  expect((await story.get("ours")).spec.controlPlaneEndpoint).toBeUndefined();
});
