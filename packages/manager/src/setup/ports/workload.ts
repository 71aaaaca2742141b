import { type Cluster, ConfigMap, type Frozen } from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Client, guardWrites, type Logger } from "@capstan/runtime";
import { CLUSTER_INFO } from "../../bootstrap/cluster-info.ts";
import type { ConnectToCluster } from "../../workload/connect.ts";
import { WorkloadClusters } from "../../workload/workload-clusters.ts";
import { cachedAnswers } from "../cached-answers.ts";
import type { ReadSecret } from "./kubernetes.ts";

/** The access of controllers to workload clusters. */
export interface WorkloadPorts {
  readonly workloads: WorkloadClusters;
  /** A client of the workload cluster of a Cluster; throws while it does not answer. */
  readonly workloadClient: (cluster: Frozen<Cluster>) => Promise<Client>;
  /** The ConfigMap that kubeadm publishes to machines that join, as it was at most 30 s ago; throws while the cluster does not answer. */
  readonly readClusterInfo: (cluster: Frozen<Cluster>) => Promise<Frozen<ConfigMap> | undefined>;
}

// All machines that are created together need it; another authority of a cluster is replaced over days.
const CLUSTER_INFO_MS = 30_000;

export interface WorkloadAccessOptions {
  readonly connect: ConnectToCluster;
  /** Servers that kubeconfigs may point to in addition to the endpoint of their Cluster. */
  readonly trustedOrigins?: readonly string[];
}

export interface WorkloadPortsOptions {
  readonly env: Env;
  readonly log: Logger;
  readonly readSecret: ReadSecret;
  readonly workload: WorkloadAccessOptions;
  /** Throws when this process must not write any more. */
  readonly assertMayWrite: () => void;
}

/** Connects controllers to workload clusters; every write first checks that this process still leads. */
export function workloadPorts(options: WorkloadPortsOptions): WorkloadPorts {
  const { env, log, readSecret, workload, assertMayWrite } = options;
  const workloads = new WorkloadClusters({ env, log, readSecret, ...workload });
  const readInfo = async (cluster: Frozen<Cluster>) =>
    (await workloads.get(cluster)).client.find(ConfigMap, CLUSTER_INFO);
  return {
    workloads,
    readClusterInfo: cachedAnswers(readInfo, {
      clock: env.clock,
      forMs: CLUSTER_INFO_MS,
      nothingForMs: 0,
      keyOf: ({ metadata }) => metadata.uid ?? "",
    }),
    workloadClient: async (cluster) => guardWrites((await workloads.get(cluster)).client, assertMayWrite),
  };
}
