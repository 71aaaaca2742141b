import {
  type AzureMachinePoolMachine,
  EXCLUDE_NODE_DRAINING_ANNOTATION,
  type Frozen,
  type Node,
  parseDuration,
  Pod,
} from "@capstan/api";
import { instanceMachineId, lastPart } from "../../machine-id.ts";
import { isReady } from "../../readiness.ts";
import type { Call } from "../../world/call.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

/** I3 and I4. */
export const drainsFirst: Invariant = {
  name: "drains-first",
  says: "an instance is deleted or updated only after its Node was cordoned and its pods were evicted, or the drain timed out",
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    return {
      called: (call) => {
        if (call.api === "kube" && call.resource === "pods" && call.verb === "delete") {
          return `${call.by} deletes pod ${call.namespace}/${call.name} and does not evict it`;
        }
        for (const machineId of targetsOf(truth, call)) {
          const record = poolLookup.poolNamed(call.name);
          if (!record || record.isClusterLeaving) continue;
          const problem = undrained(truth, poolLookup, { record, machineId });
          if (problem !== undefined)
            return `${call.by}: ${call.verb} ${call.resource} of ${lastPart(machineId)}: ${problem}`;
        }
        return undefined;
      },
    };
  },
};

const DISRUPTIVE = /^virtualMachineScaleSets\/(delete|manualupgrade|reimage|poweroff|deallocate|restart)$/i;

/** The ids of the machines that a call disrupts. */
function targetsOf(truth: Truth, call: Call): string[] {
  const { api, verb, resource, path = "", instances = [] } = call;
  if (api !== "arm") return [];
  if (verb === "POST" && DISRUPTIVE.test(resource)) {
    const scaleSetId = path.slice(0, path.lastIndexOf("/"));
    return instances.map((instance) => instanceMachineId(scaleSetId, instance));
  }
  if (verb !== "DELETE" || resource !== "virtualMachineScaleSets") return [];
  const members = truth.azure.core.world.scaleSets.members(path);
  return [...members.values()].map(({ machineId }) => machineId);
}

function undrained(
  truth: Truth,
  poolLookup: PoolLookup,
  { record, machineId }: { readonly record: PoolRecord; readonly machineId: string },
): string | undefined {
  const machine = poolLookup.machine(record, lastPart(machineId));
  const found = truth.node(machineId);
  // A Node that does not answer cannot report its pods; a missing Node has none.
  if (!found || !isReady(found.node) || isExcluded(machine)) return undefined;
  const { cluster, node } = found;
  if (node.spec?.unschedulable !== true) return `Node ${node.metadata.name} is not cordoned`;
  const pods = evictable(truth, cluster, node);
  if (pods.length === 0 || isOverdue(truth, record, machine?.status?.nodeDrainStartTime)) return undefined;
  return `pod ${pods[0]} still runs on Node ${node.metadata.name}`;
}

function isExcluded(machine: Frozen<AzureMachinePoolMachine> | undefined): boolean {
  return machine?.metadata.annotations?.[EXCLUDE_NODE_DRAINING_ANNOTATION] !== undefined;
}

const MIRROR = "kubernetes.io/config.mirror";

function evictable(truth: Truth, cluster: string, node: Frozen<Node>): string[] {
  const pods = [...(truth.workload(cluster)?.list({ resource: `${Pod.group}/${Pod.plural}` }) ?? [])];
  return (pods as unknown as Frozen<Pod>[])
    .filter(({ spec }) => spec?.nodeName === node.metadata.name)
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .filter(({ metadata }) => metadata.annotations?.[MIRROR] === undefined)
    .filter(({ metadata }) => !metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet"))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

// A timestamp in whole seconds may be up to one second late.
const ROUNDING_MS = 1000;

function isOverdue(truth: Truth, { pool, owner }: PoolRecord, startedAt: string | undefined): boolean {
  const own = pool.spec.nodeDrainTimeout;
  const { nodeDrainTimeoutSeconds = 0 } = owner?.spec.template.spec.deletion ?? {};
  const limitMs = own === undefined ? nodeDrainTimeoutSeconds * 1000 : parseDuration(own);
  if (limitMs === 0 || startedAt === undefined) return false;
  return truth.wallMs - Date.parse(startedAt) >= limitMs - ROUNDING_MS;
}
