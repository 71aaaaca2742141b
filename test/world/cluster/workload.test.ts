import { Cluster, Event, type Kind, MachinePool, Secret } from "@capstan/api";
import type { HttpRequest, HttpResponse } from "@capstan/env";
import { createLogger } from "@capstan/runtime";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  clusterWorld,
  controllersWith,
  createCluster,
  find,
  get,
  giveKubeconfig,
  kubeconfig,
  MINUTE_MS,
  NAMESPACE,
  patch,
  recorded,
  remove,
  SIMULATED_ORIGIN,
  workloadsOf,
} from "../kit/cluster-world.ts";
import { bootNodes, createPool } from "./life.ts";
import { machineIDs } from "../kit/providers.ts";

expect.extend(conditionMatchers);

const DEAD = { host: "dead.example.com", port: 6443 };
const never = (): Promise<never> => new Promise(() => undefined);

/** A line that is down: as every transport, it gives a request up when its caller does. */
const silence = ({ signal }: HttpRequest): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

/** A server that rejects all credentials, and quotes them. */
const suspicious = ({ headers }: { headers: Readonly<Record<string, string>> }): Promise<HttpResponse> => {
  const message = `who is ${headers["authorization"] ?? ""} ${CANARY}?`;
  const body = { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401, message };
  return Promise.resolve({
    status: 401,
    headers: {},
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    lines: () => {
      throw new TypeError("no stream");
    },
  });
};

const CANARY = "canary-7f3a9c";

async function withKubeconfig(text: string, endpoint: { host: string; port: number } = DEAD): Promise<World> {
  const world = await clusterWorld();
  await giveKubeconfig(world, "demo", text);
  await createCluster(world, "demo", { spec: { controlPlaneEndpoint: endpoint } });
  await world.settle();
  return world;
}

describe("a workload cluster that does not answer", () => {
  test("affects only its own objects, with a condition", async () => {
    const world = await clusterWorld({ servers: { "dead.example.com:6443": () => never } });
    for (let number = 0; number < 30; number++) {
      await giveKubeconfig(world, `dead-${number}`, kubeconfig("https://dead.example.com:6443"));
      await createCluster(world, `dead-${number}`, { spec: { controlPlaneEndpoint: DEAD } });
    }
    await world.advance(MINUTE_MS);
    await createCluster(world, "alive");
    const isProvisioned = await world.until(
      () =>
        world.trace.events.some(
          ({ happening }) =>
            happening.kind === "condition" &&
            happening.object === "Cluster alive" &&
            happening.type === "Ready" &&
            happening.status === "True",
        ),
      2 * MINUTE_MS,
    );
    expect(isProvisioned).toBe(true);
    const tookMs = world.scheduler.monotonicMs - MINUTE_MS;
    expect(tookMs, "the infrastructure alone takes 20 s").toBeLessThan(23_000);
    const dead = await get(world, Cluster, "dead-7");
    expect(dead).toHaveCondition("ControlPlaneReady", "False", "WorkloadClusterUnreachable");
    expect(JSON.stringify(dead.status)).toContain("did not answer within 10 s");
  });

  test("keeps the last state of its Nodes, and is used again when it answers", async () => {
    const line = { isUp: true };
    const world = await clusterWorld({
      controllers: (connections) =>
        controllersWith(
          workloadsOf(connections, {
            connect: ({ server }) => {
              const transport = connections.connect(server);
              return {
                ...transport,
                request: (request) => (line.isUp ? transport.request(request) : silence(request)),
              };
            },
          }),
        ),
    });
    await createCluster(world, "demo");
    await createPool(world, "pool", "demo", { spec: { replicas: 2 } });
    await world.settle();
    await bootNodes(world, "demo", machineIDs("pool", 2));
    await world.settle();
    line.isUp = false;
    await world.advance(5 * MINUTE_MS);
    const lost = await get(world, MachinePool, "pool");
    expect(lost).toHaveCondition("ReplicasReady", "Unknown", "WorkloadClusterUnreachable");
    expect(lost.status).toMatchObject({
      readyReplicas: 2,
      nodeRefs: [{ name: "pool-0" }, { name: "pool-1" }],
    });
    line.isUp = true;
    await world.advance(5 * MINUTE_MS);
    expect(await get(world, MachinePool, "pool")).toHaveCondition("ReplicasReady", "True");
  });
});

describe("a kubeconfig", () => {
  test("that changes leads to the new server within minutes", async () => {
    const { calls, invariant } = recorded();
    const world = await clusterWorld({ invariants: [invariant] });
    await giveKubeconfig(world, "demo", kubeconfig(`${SIMULATED_ORIGIN}/other`));
    await createCluster(world, "other");
    await createCluster(world, "demo");
    await createPool(world, "pool", "demo", { spec: { replicas: 1 } });
    await world.settle();
    await bootNodes(world, "demo", machineIDs("pool", 1));
    await world.settle();
    expect((await get(world, MachinePool, "pool")).status?.readyReplicas).toBe(0);
    expect(calls.some(({ server }) => server === "demo")).toBe(false);
    await giveKubeconfig(world, "demo", kubeconfig(`${SIMULATED_ORIGIN}/demo`));
    await world.advance(6 * MINUTE_MS);
    expect((await get(world, MachinePool, "pool")).status?.readyReplicas).toBe(1);
  });

  test("that is missing is waited for", async () => {
    const world = await clusterWorld({
      controllers: (connections) =>
        controllersWith(workloadsOf(connections, { readSecret: () => Promise.resolve(undefined) })),
    });
    await createCluster(world, "demo");
    await world.settle();
    expect(await get(world, Cluster, "demo")).toHaveCondition(
      "ControlPlaneReady",
      "False",
      "WaitingForKubeconfig",
    );
  });

  test.each([
    [
      "an exec plugin",
      { user: { exec: { command: "cloud-login", args: [CANARY] } } },
      'users[0].user.exec runs the program \\"cloud-login\\"',
    ],
    [
      "an auth provider",
      { user: { "auth-provider": { name: "gcp", config: { token: CANARY } } } },
      'users[0].user.auth-provider runs the plugin \\"gcp\\"',
    ],
    [
      "TLS that is not checked",
      { cluster: { "insecure-skip-tls-verify": true } },
      "clusters[0].cluster.insecure-skip-tls-verify is true",
    ],
    [
      "a file",
      { user: { "client-key": "/etc/shadow" } },
      'users[0].user.client-key reads the file \\"/etc/shadow\\"',
    ],
    [
      "a proxy",
      { cluster: { "proxy-url": `http://me:${CANARY}@proxy.example.com` } },
      'clusters[0].cluster.proxy-url is \\"http://proxy.example.com\\"',
    ],
  ])("with %s is refused: the condition names field and value", async (_, parts, text) => {
    const world = await withKubeconfig(kubeconfig("https://dead.example.com:6443", parts));
    const refused = await get(world, Cluster, "demo");
    expect(refused).toHaveCondition("ControlPlaneReady", "False", "KubeconfigRefused");
    expect(JSON.stringify(refused.status)).toContain(text);
    expect(JSON.stringify(refused)).not.toContain(CANARY);
  });

  test("that points to another host than the endpoint is refused", async () => {
    const world = await withKubeconfig(kubeconfig("https://elsewhere.example.com"));
    const refused = await get(world, Cluster, "demo");
    expect(refused).toHaveCondition("ControlPlaneReady", "False", "KubeconfigRefused");
    expect(JSON.stringify(refused.status)).toContain(
      'spec.controlPlaneEndpoint.host of the Cluster is \\"dead.example.com\\"',
    );
  });

  test("of another Cluster is refused", async () => {
    const world = await withKubeconfig(kubeconfig("https://dead.example.com:6443"));
    await patch(world, Secret, "demo-kubeconfig", {
      metadata: { labels: { "cluster.x-k8s.io/cluster-name": "demo-1" } },
    });
    await world.advance(15 * MINUTE_MS);
    expect(await get(world, Cluster, "demo")).toHaveCondition(
      "ControlPlaneReady",
      "False",
      "KubeconfigRefused",
    );
  });

  test("never shows in logs, conditions, events or errors, with any answer of the server", async () => {
    const lines: string[] = [];
    const world = await clusterWorld({
      servers: { "dead.example.com:6443": () => suspicious },
      controllers: (connections) => {
        const log = createLogger(connections.env, "debug", { write: (line) => void lines.push(line) });
        const connect: Parameters<typeof workloadsOf>[1] = {
          connect: ({ server, token }) => {
            const transport = connections.connect(server);
            const authorization = `Bearer ${token?.reveal() ?? ""}`;
            return {
              ...transport,
              request: (request) =>
                transport.request({ ...request, headers: { ...request.headers, authorization } }),
            };
          },
        };
        return controllersWith(workloadsOf(connections, connect, log));
      },
    });
    await giveKubeconfig(
      world,
      "demo",
      kubeconfig("https://dead.example.com:6443", { user: { token: CANARY } }),
    );
    await createCluster(world, "demo", { spec: { controlPlaneEndpoint: DEAD } });
    await createPool(world, "pool", "demo");
    await world.advance(15 * MINUTE_MS);
    const cluster = await get(world, Cluster, "demo");
    expect(cluster).toHaveCondition("ControlPlaneReady", "False", "WorkloadClusterUnreachable");
    expect(JSON.stringify(cluster)).toContain("who is Bearer [redacted] [redacted]?");
    const events = await world.run(world.user.list(Event, { namespace: NAMESPACE }));
    const pool = await get(world, MachinePool, "pool");
    expect(JSON.stringify([cluster, pool, events, world.trace.events, lines])).not.toContain(CANARY);
  });
});

describe("a Cluster that disappears", () => {
  test("at any moment crashes nothing", async () => {
    const { calls, invariant } = recorded();
    const calm = await clusterWorld({ invariants: [invariant] });
    await createCluster(calm, "demo");
    await createPool(calm, "pool", "demo");
    await calm.advance(MINUTE_MS);
    const moments = calls.length;
    for (let moment = 5; moment < moments; moment += 4) await vanishAt(moment);
  });
});

test("the connection to a Cluster that has disappeared is closed after a while without a request", async () => {
  const { calls, invariant } = recorded();
  const world = await clusterWorld({ invariants: [invariant] });
  await createCluster(world, "demo");
  await createPool(world, "pool", "demo");
  await world.settle();
  const toServer = (): number => calls.filter(({ server }) => server === "demo").length;
  expect(toServer()).toBeGreaterThan(0);
  await takeAway(world, Cluster, "demo");
  await takeAway(world, MachinePool, "pool");
  await world.advance(65 * MINUTE_MS);
  const before = calls.length;
  await world.advance(60 * MINUTE_MS);
  expect(calls.slice(before).filter(({ server }) => server !== "management")).toEqual([]);
});

/** Removes a Cluster and its pool by force right after the manager has sent this many requests. */
async function vanishAt(moment: number): Promise<void> {
  const { calls, invariant } = recorded();
  const world = await clusterWorld({ invariants: [invariant] });
  await createCluster(world, "demo");
  await createPool(world, "pool", "demo");
  await world.until(() => calls.length >= moment, 5 * MINUTE_MS);
  await takeAway(world, Cluster, "demo");
  await takeAway(world, MachinePool, "pool");
  await world.settle();
  const [manager] = world.managers.running();
  const panics = manager?.runner.metrics
    .print()
    .split("\n")
    .filter((line) => line.startsWith("controller_runtime_reconcile_panics_total{"));
  expect(
    panics?.filter((line) => !line.endsWith(" 0")),
    `vanished at request ${moment}`,
  ).toEqual([]);
  expect(await find(world, Cluster, "demo")).toBeUndefined();
}

/** Deletes an object and removes its finalizers, as often as necessary. */
async function takeAway(world: World, kind: Kind, name: string): Promise<void> {
  for (let attempt = 0; attempt < 5 && (await find(world, kind, name)); attempt++) {
    await remove(world, kind, name).catch(() => undefined);
    await patch(world, kind, name, { metadata: { finalizers: null } }).catch(() => undefined);
  }
}
