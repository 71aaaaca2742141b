import {
  type Frozen,
  type KubernetesObject,
  PROTOTYPE_DONOR_ANNOTATION,
  SKIP_REMEDIATION_ANNOTATION,
} from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import type { NodeLookup } from "../../../workload/find-node.ts";
import type { WorkloadNodes } from "../../../workload/nodes.ts";
import { nodesIfReachable } from "../../../workload/sources.ts";
import type { FleetMachine } from "./fleet.ts";
import { renewalOf, type Scope } from "../scope.ts";

/** Annotation by which the cluster autoscaler leaves a Node alone. */
export const SCALE_DOWN_DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/** The annotations that protect the machine of a donor. */
export const MACHINE_ANNOTATIONS = [PROTOTYPE_DONOR_ANNOTATION, SKIP_REMEDIATION_ANNOTATION] as const;

/** The annotations that protect the Node of a donor. */
export const NODE_ANNOTATIONS = [PROTOTYPE_DONOR_ANNOTATION, SCALE_DOWN_DISABLED] as const;

/** How the record names the annotations of the two objects. */
export const ON_MACHINE = "machine/";
export const ON_NODE = "node/";

/** The Nodes of the workload cluster; undefined while it does not answer. */
export function nodesOf({ cluster, shared }: Scope): Promise<WorkloadNodes | undefined> {
  return nodesIfReachable(shared.ports.workloads, cluster);
}

/** A client of the workload cluster; undefined while it does not answer. */
export async function workloadOf({ cluster, shared }: Scope): Promise<Client | undefined> {
  if (!cluster) return undefined;
  try {
    return await shared.ports.workloadClient(cluster);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The machine of the donor; undefined when it is gone. */
export function machineOf(scope: Pick<Scope, "fleet" | "owner">): FleetMachine | undefined {
  const { machine } = renewalOf(scope).donor;
  return scope.fleet.machines().find(({ facts }) => facts.machine === machine);
}

/** The Node of the donor, by the UID in the record: another Node of that name is not the donor. */
export async function donorNode(scope: Scope): Promise<NodeLookup> {
  const { nodeUID } = renewalOf(scope).donor;
  const nodes = await nodesOf(scope);
  if (!nodes) {
    const message = "The workload cluster does not answer";
    return { state: "unknown", reason: "WorkloadUnreachable", message };
  }
  const candidates = nodes.of(machineOf(scope)?.providerID ?? "");
  const node = candidates.find(({ metadata }) => metadata.uid === nodeUID);
  return node ? { state: "found", node } : { state: "none" };
}

/** The annotations that an object lacks: those that a user has set stay the user's. */
export function missingOn(
  { metadata }: Frozen<KubernetesObject>,
  names: readonly string[],
): readonly string[] {
  return names.filter((name) => metadata.annotations?.[name] === undefined);
}

/** A patch that sets annotations to a value, or removes them. */
export function annotating(names: readonly string[], value: string | null) {
  const annotations = Object.fromEntries(names.map((name) => [name, value]));
  return { type: "merge", body: { metadata: { annotations } } } as const;
}
