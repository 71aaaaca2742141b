import { AzureCluster, customKinds } from "@capstan/api";
import { createAzure, DEFAULT_SUBSCRIPTION, serveAzure } from "@capstan/azure-sim";
import { AdjustableClock, createRealEnv, withClock } from "@capstan/env";
import { cloudNamed, createNetwork } from "@capstan/azure";
import { connectToCluster, Manager } from "@capstan/manager";
import { createClient, Sensitive, silentLogger } from "@capstan/runtime";
import { installDefinitions } from "../../packages/cli/src/cluster/install-definitions.ts";
import { startControlPlane } from "../kube/control-plane.ts";
import { createCluster, createIdentity } from "./cluster-objects.ts";
import { printTable } from "./table.ts";

const SPEED = 60;
// Edits of users and other controllers on an existing fleet.
const CHANGES = 500;
const BETWEEN_MS = 20;

/** Builds clusters on a real kube-apiserver and prints the cost. */
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
        // Azure's library requires HTTPS; the simulated cloud issues a token without it.
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
    const built = metrics.print();
    const writes = sum(
      built,
      /^rest_client_requests_total\{.*method="(?:POST|PUT|PATCH|DELETE)".*\} (\d+)$/gm,
    );
    for (let change = 0; change < CHANGES; change++) {
      const body = { metadata: { annotations: { "example.com/change": String(change) } } };
      const name = { name: `c${change % count}`, namespace: "default" };
      await user.patch(AzureCluster, name, { type: "merge", body });
      await env.clock.sleep(BETWEEN_MS);
    }
    const burst = waitsIn(built);
    const single = without(waitsIn(metrics.print()), burst);
    printTable(
      ["real time, real kube-apiserver, Azure at 60 times its speed", "measured", "aim"],
      [
        [`${count} clusters provisioned, s`, seconds.toFixed(1), ""],
        ["CPU seconds of the manager and the simulated Azure", ((userUs + systemUs) / 1e6).toFixed(1), ""],
        ["kube writes a cluster", (writes / count).toFixed(1), ""],
        ["from event to pass while all are built at once, p50 at most, ms", waitBelow(burst, 0.5), ""],
        ["the same, p99 at most, ms", waitBelow(burst, 0.99), ""],
        [`${CHANGES} changes one by one after that, p50 at most, ms`, waitBelow(single, 0.5), ""],
        ["the same, p99 at most, ms", waitBelow(single, 0.99), "under 50"],
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

/** How many keys were taken from the queues within each of the histogram's limits, in seconds. */
type Waits = ReadonlyMap<number, number>;

function waitsIn(text: string): Waits {
  const byLimit = new Map<number, number>();
  for (const [, limit = "", value] of text.matchAll(
    /^workqueue_queue_duration_seconds_bucket\{.*le="([^"]+)".*\} (\d+)$/gm,
  )) {
    const seconds = limit === "+Inf" ? Infinity : Number(limit);
    byLimit.set(seconds, (byLimit.get(seconds) ?? 0) + Number(value));
  }
  return byLimit;
}

function without(all: Waits, earlier: Waits): Waits {
  return new Map([...all].map(([limit, count]) => [limit, count - (earlier.get(limit) ?? 0)]));
}

/** The smallest limit that such a share of the keys were taken within. */
function waitBelow(waits: Waits, share: number): string {
  const limits = [...waits].sort(([a], [b]) => a - b);
  const all = limits.at(-1)?.[1] ?? 0;
  const found = limits.find(([, count]) => count >= share * all);
  return found ? String(found[0] * 1000) : "-";
}
