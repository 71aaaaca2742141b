import { Node } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import { createClient, type Informer, type Logger, Runner, silentLogger } from "@capstan/runtime";
import type { PodSettings } from "./kubelet-pods.ts";
import { followPods } from "./kubelet-loop.ts";
import { daemonSets, deployments, replicaSets, statefulSets } from "./owners.ts";
import { followUnscheduled } from "./scheduler-loop.ts";

/** The options of workloads. */
export interface WorkloadsOptions {
  readonly env: Env;
  /** The transport to the API server; closed at the end. */
  readonly transport: Transport;
  readonly settings?: Partial<PodSettings>;
  readonly log?: Logger;
}

/** Running workloads. */
export interface Workloads {
  /** The Nodes that pods run on. */
  readonly nodes: Informer<Node>;
  close(): Promise<void>;
}

const SETTINGS: PodSettings = {
  imageBytes: {},
  pullBytesPerSecond: 50_000_000,
  startupMs: 5_000,
  stopMs: 2_000,
  evictionTimeoutMs: 5 * 60_000,
};

/**
 * Runs the parts of a cluster that pods need: the controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets, a
 * scheduler, and the kubelets of all nodes. Resolves when its caches are synced.
 */
export async function startWorkloads(options: WorkloadsOptions): Promise<Workloads> {
  const { env, transport, log = silentLogger } = options;
  const name = "workloads";
  const reconcilers = [replicaSets, deployments, statefulSets, daemonSets];
  const runner = new Runner({ env, transport, log, name, reconcilers });
  const shared = {
    env,
    log,
    cache: runner.cache,
    client: createClient({ transport, env, fieldManager: name }),
  };
  const scheduler = followUnscheduled(shared);
  const kubelets = followPods({ ...shared, settings: { ...SETTINGS, ...options.settings } });
  await runner.start();
  const queues = [scheduler.start(), kubelets.start()];
  return {
    nodes: runner.cache.informer(Node),
    close: async () => {
      for (const queue of queues) queue.close();
      await runner.stop();
    },
  };
}
