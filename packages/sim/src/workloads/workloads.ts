import { Node } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import { createClient, type Informer, type Logger, Runner, silentLogger } from "@capstan/runtime";
import type { PodSettings } from "./kubelet-pods.ts";
import { followPods } from "./kubelet-loop.ts";
import { daemonSets, deployments, replicaSets, statefulSets } from "./owners.ts";
import { followUnscheduled } from "./scheduler-loop.ts";

/** What workloads run on. */
export interface WorkloadsOptions {
  readonly env: Env;
  /** The way to the API server; closed at the end. */
  readonly transport: Transport;
  readonly settings?: Partial<PodSettings>;
  readonly log?: Logger;
}

/** Workloads that run. */
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
 * Runs just enough of a cluster for pods: the controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets,
 * a scheduler, and what the kubelets of all nodes do to their pods. Resolves when it has read what is there.
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
