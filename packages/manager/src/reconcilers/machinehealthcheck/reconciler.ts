import {
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  Machine,
  MachineHealthCheck,
  MachinePool,
  POOL_NAME_LABEL,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  isMoreThanStatus,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  type Source,
} from "@capstan/runtime";
import { checkMachines, MACHINES_BY_CLUSTER, type MachineHealthCheckPorts, type Scope } from "./check.ts";

const CHECKS_BY_CLUSTER = "check-of-cluster";
const POOLS_BY_CLUSTER = "pool-of-cluster";
const MIN_INTERVAL_MS = 15_000;

/**
 * Finds unhealthy machines and marks them, so that their owner replaces them. Machines of pools have no Machine, so no
 * controller checks them; a check that selects them says so.
 */
export function machineHealthCheckReconciler(ports: MachineHealthCheckPorts): Reconciler {
  return defineReconciler<MachineHealthCheck, Scope>({
    name: "machinehealthcheck",
    for: MachineHealthCheck,
    condition: "MatchesNoMachinePool",
    // Cluster API's interval: the status of each machine changes several times while it boots.
    minReconcileIntervalMs: () => MIN_INTERVAL_MS,
    indexes: [
      index(Machine, MACHINES_BY_CLUSTER, ({ metadata, spec }) => [
        `${metadata.namespace}/${spec.clusterName}`,
      ]),
      index(MachineHealthCheck, CHECKS_BY_CLUSTER, ({ metadata, spec }) => [
        `${metadata.namespace}/${spec.clusterName}`,
      ]),
      index(MachinePool, POOLS_BY_CLUSTER, ({ metadata, spec }) => [
        `${metadata.namespace}/${spec.clusterName}`,
      ]),
    ],
    watches: [
      on(
        MachinePool,
        ({ metadata, spec }, cache) => checksOf(`${metadata.namespace}/${spec.clusterName}`, cache),
        { predicate: isMoreThanStatus },
      ),
      on(Machine, ({ metadata, spec }, cache) =>
        checksOf(`${metadata.namespace}/${spec.clusterName}`, cache),
      ),
      on(Cluster, ({ metadata }, cache) => checksOf(`${metadata.namespace}/${metadata.name}`, cache)),
    ],
    sources: [nodesOf(ports)],
    scope: (context) => ({ context, ports }),
    normal: [checkMachines, matchPools],
    status: (_, { claimReady }) => claimReady(),
  });
}

/** Nodes change often while a cluster grows, and each change concerns all checks of the cluster. */
function nodesOf({ workloads }: MachineHealthCheckPorts): Source {
  return (enqueue, cache) =>
    workloads.onNodeChange(({ name, namespace }) => {
      for (const check of checksOf(`${namespace}/${name}`, cache)) enqueue(check);
    });
}

function checksOf(value: string, cache: CacheReader): ObjectName[] {
  return cache.list(MachineHealthCheck, { index: CHECKS_BY_CLUSTER, value }).map(({ metadata }) => metadata);
}

function matchPools({ context }: Scope): Outcome {
  const { object: check, cache } = context;
  const selector = selectorOf(check.spec.selector);
  const value = `${check.metadata.namespace}/${check.spec.clusterName}`;
  const pools = cache
    .list(MachinePool, { index: POOLS_BY_CLUSTER, value })
    .filter((pool) => selectorMatches(selector, labelsOf(pool)))
    .map(({ metadata }) => metadata.name)
    .sort();
  const type = "MatchesNoMachinePool";
  if (pools.length === 0) {
    context.setCondition({ type, status: "True", reason: "Reconciled" });
    return next;
  }
  const message = `spec.selector matches machines of MachinePool ${pools.join(", ")}, which have no Machine, so health checks ignore them; the pool controller replaces only machines whose VM has failed or is stopped`;
  context.setCondition({ type, status: "False", severity: "Info", reason: "MachinePoolMatched", message });
  return next;
}

/** The labels that Cluster API would set on the Machines of a pool. */
function labelsOf({ metadata, spec }: Frozen<MachinePool>): Readonly<Record<string, string>> {
  return {
    ...spec.template.metadata?.labels,
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    [POOL_NAME_LABEL]: metadata.name,
  };
}
