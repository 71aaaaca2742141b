import {
  CLUSTER_NAME_LABEL,
  type Frozen,
  MachineHealthCheck,
  MachinePool,
  POOL_NAME_LABEL,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import {
  type Context,
  defineReconciler,
  index,
  isMoreThanStatus,
  next,
  on,
  type Outcome,
  type Reconciler,
  waiting,
} from "@capstan/runtime";

const CHECKS_BY_CLUSTER = "check-of-cluster";
const POOLS_BY_CLUSTER = "pool-of-cluster";

/**
 * Warns that a health check selects machines of pools, which have no Machine, so that no controller checks them, although
 * its author expects it. Everything else about health checks is left to Cluster API.
 */
export function machineHealthCheckReconciler(): Reconciler {
  return defineReconciler<MachineHealthCheck, Context<MachineHealthCheck>>({
    name: "machinehealthcheck",
    for: MachineHealthCheck,
    condition: "MatchesNoMachinePool",
    indexes: [
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
        ({ metadata, spec }, cache) =>
          cache
            .list(MachineHealthCheck, {
              index: CHECKS_BY_CLUSTER,
              value: `${metadata.namespace}/${spec.clusterName}`,
            })
            .map((check) => check.metadata),
        { predicate: isMoreThanStatus },
      ),
    ],
    scope: (context) => context,
    normal: [matchPools],
  });
}

function matchPools({ object: check, cache }: Context<MachineHealthCheck>): Outcome {
  const selector = selectorOf(check.spec.selector);
  const value = `${check.metadata.namespace}/${check.spec.clusterName}`;
  const pools = cache
    .list(MachinePool, { index: POOLS_BY_CLUSTER, value })
    .filter((pool) => selectorMatches(selector, labelsOf(pool)))
    .map(({ metadata }) => metadata.name)
    .sort();
  if (pools.length === 0) return next;
  const message = `spec.selector matches machines of MachinePool ${pools.join(", ")}, which have no Machine, so health checks ignore them; the pool controller replaces only machines whose VM has failed or is stopped`;
  throw waiting("MachinePoolMatched", message);
}

/** The labels that Cluster API would set on the Machines of a pool. */
function labelsOf({ metadata, spec }: Frozen<MachinePool>): Readonly<Record<string, string>> {
  return {
    ...spec.template.metadata?.labels,
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    [POOL_NAME_LABEL]: metadata.name,
  };
}
