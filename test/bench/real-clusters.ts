import { AzureCluster, customKinds } from "@capstan/api";
import { createAzure, DEFAULT_SUBSCRIPTION, serveAzure } from "@capstan/azure-sim";
import { AdjustableClock, createRealEnv, withClock } from "@capstan/env";
import { cloudNamed, connectToCluster, createNetwork, Manager } from "@capstan/manager";
import { createClient, Sensitive, silentLogger } from "@capstan/runtime";
import { installDefinitions } from "../../packages/cli/src/cluster/install-definitions.ts";
import { startControlPlane } from "../kube/control-plane.ts";
import { createCluster, createIdentity } from "./cluster-objects.ts";
import { printTable } from "./table.ts";

const SPEED = 60;

/** Builds clusters on a real kube-apiserver and prints what that took. */
export async function realClusters(count: number): Promise<void> {
  const env = createRealEnv();
  const plane = await startControlPlane();
  const clock = new AdjustableClock(env.clock);
  clock.setSpeed(SPEED);
  const azure = createAzure({ env: withClock(env, clock), clock, seed: "1" });
  const server = await serveAzure(azure);
  const endpoint = `http://127.0.0.1:${server.port}`;
  const network = createNetwork();
  try {
    const transport = plane.connect();
    await installDefinitions({ env, transport }, customKinds);
    const user = createClient({ transport, env, fieldManager: "user" });
    await createIdentity(user);
    for (let number = 0; number < count; number++) await createCluster(user, `c${number}`);
    const manager = new Manager({
      env,
      log: silentLogger,
      kube: plane.connect(),
      azure: {
        // Azure's library logs in over HTTPS only; the simulated cloud gives us a token without it.
        acquire: () =>
          Promise.resolve({ token: new Sensitive(azure.issueToken().token), lifetimeMs: 3_600_000 }),
        cloud: { ...cloudNamed(), resourceManager: endpoint },
        connect: network.connect,
        defaultSubscriptionID: DEFAULT_SUBSCRIPTION,
      },
      workload: { connect: connectToCluster },
      readFile: () => Promise.reject(new Error("there are no files")),
    });
    const cpu = process.cpuUsage();
    const startedMs = performance.now();
    await manager.start();
    const isReady = (): boolean =>
      manager.runner.cache.list(AzureCluster).every(({ status }) => status?.ready === true);
    while (!isReady()) await env.clock.sleep(50);
    const seconds = (performance.now() - startedMs) / 1000;
    const { user: userUs, system: systemUs } = process.cpuUsage(cpu);
    const { metrics } = manager.runner;
    const writes = sum(
      metrics.print(),
      /^rest_client_requests_total\{.*method="(?:POST|PUT|PATCH|DELETE)".*\} (\d+)$/gm,
    );
    printTable(
      ["real time, real kube-apiserver, Azure at 60 times its speed", "measured", "aim"],
      [
        [`${count} clusters provisioned, s`, seconds.toFixed(1), ""],
        ["CPU seconds of the manager and the simulated Azure", ((userUs + systemUs) / 1e6).toFixed(1), ""],
        ["kube writes a cluster", (writes / count).toFixed(1), ""],
        ["from event to pass, p50 at most, ms", waitBelow(metrics.print(), 0.5), ""],
        ["from event to pass, p99 at most, ms", waitBelow(metrics.print(), 0.99), "under 50"],
      ],
    );
    await manager.stop();
  } finally {
    await server.close();
    azure.close();
    await network.close();
    await plane.stop();
  }
}

function sum(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
}

/** The smallest limit of a bucket of the queue's histogram that so many keys were taken within. */
function waitBelow(text: string, share: number): string {
  const byLimit = new Map<number, number>();
  for (const [, limit = "", value] of text.matchAll(
    /^workqueue_queue_duration_seconds_bucket\{.*le="([^"]+)".*\} (\d+)$/gm,
  )) {
    const seconds = limit === "+Inf" ? Infinity : Number(limit);
    byLimit.set(seconds, (byLimit.get(seconds) ?? 0) + Number(value));
  }
  const limits = [...byLimit].sort(([a], [b]) => a - b);
  const all = limits.at(-1)?.[1] ?? 0;
  const found = limits.find(([, count]) => count >= share * all);
  return found ? String(found[0] * 1000) : "-";
}
