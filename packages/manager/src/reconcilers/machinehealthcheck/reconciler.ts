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
  isMoreThanStatus,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
} from "@capstan/runtime";
import { fromOlderConditions } from "@capstan/plan";
import { nodeSource } from "../../workload/sources.ts";
import { mattersToMembers } from "../../contract/initialized.ts";
import { clusterNameOf, indexByCluster, ofCluster } from "../../contract/indexes.ts";
import { checkMachines, type MachineHealthCheckPorts, type Scope } from "./check.ts";

const MIN_INTERVAL_MS = 15_000;
const MATCHES_NO_POOL = "MatchesNoMachinePool";
const CONDITIONS = [{ type: "RemediationAllowed" }, { type: MATCHES_NO_POOL }];

/**
 * Finds unhealthy machines and marks them, so that their owner replaces them. Machines of pools have no Machine, so no
 * controller checks them; a check that selects them says so.
 */
export function machineHealthCheckReconciler(ports: MachineHealthCheckPorts): Reconciler {
  return defineReconciler<MachineHealthCheck, Scope>({
    name: "machinehealthcheck",
    for: MachineHealthCheck,
    condition: MATCHES_NO_POOL,
    // Cluster API's interval: the status of each machine changes several times while it boots.
    minReconcileIntervalMs: () => MIN_INTERVAL_MS,
    indexes: [indexByCluster(Machine), indexByCluster(MachineHealthCheck), indexByCluster(MachinePool)],
    watches: [
      on(MachinePool, (pool, cache) => checksOf(clusterNameOf(pool), cache), { predicate: isMoreThanStatus }),
      on(Machine, (machine, cache) => checksOf(clusterNameOf(machine), cache)),
      on(Cluster, ({ metadata }, cache) => checksOf(metadata, cache), { predicate: mattersToMembers }),
    ],
    sources: [nodeSource(ports.workloads, ({ cluster }, cache) => checksOf(cluster, cache))],
    scope: (context) => ({ context, ports }),
    normal: [checkMachines, matchPools],
    status: (_, { claimReady }) => claimReady(),
    standardConditions: (check) => fromOlderConditions(check, CONDITIONS),
  });
}

function checksOf(cluster: ObjectName, cache: CacheReader): ObjectName[] {
  return ofCluster(cache, MachineHealthCheck, cluster).map(({ metadata }) => metadata);
}

function matchPools({ context }: Scope): Outcome {
  const { object: check, cache } = context;
  const selector = selectorOf(check.spec.selector);
  const pools = ofCluster(cache, MachinePool, clusterNameOf(check))
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
