import {
  type Cluster,
  type ContractReference,
  controllerOf,
  type Frozen,
  isUpdatingInPlace,
  type Machine,
  Node,
} from "@capstan/api";
import { again, Failure, guardWrites, logDisruptions, next, type Outcome } from "@capstan/runtime";
import { labelWithCluster, ownByCluster, requireCluster } from "../../contract/join-cluster.ts";
import {
  addressesOf,
  type ContractObject,
  dataSecretNameOf,
  failureDomainOf,
  isReady,
  providerIDOf,
} from "../../contract/contract-object.ts";
import { clusterNameOf } from "../../contract/indexes.ts";
import { reconcileReference } from "../../contract/reconcile-reference.ts";
import type { ResolvedReference } from "../../contract/resolve.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import { machinesWith } from "../../machines/indexes.ts";
import { BOOTSTRAP_READY, INFRASTRUCTURE_READY } from "../../machines/conditions.ts";
import { availabilityOfMachine, joinDueInMs } from "./decide.ts";
import { decideNodePatch } from "./node-metadata.ts";
import type { Scope } from "./scope.ts";
import { isOutdated } from "./up-to-date.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

/** The references of a Machine, and the condition of each. */
export const REFERENCES = {
  bootstrap: { field: "spec.bootstrap.configRef", condition: BOOTSTRAP_READY },
  infrastructure: { field: "spec.infrastructureRef", condition: INFRASTRUCTURE_READY },
} as const;

// Cluster API's interval for objects that it does not watch.
const POLL_MS = 30_000;
const SOON_MS = 10_000;

/** Sets the label of the Cluster, and its owner reference if no other controller owns the machine. */
export function joinCluster({ machine, cluster }: Scope): Outcome {
  const found = requireCluster(machine, cluster);
  if (!controllerOf(machine)) ownByCluster(machine, found);
  return labelWithCluster(machine);
}

/** Reads the bootstrap config and the infrastructure, sets their owner, and copies the fields of the contract. */
export async function observeReferences(scope: Scope): Promise<Outcome> {
  const { bootstrap, infrastructureRef } = scope.machine.spec;
  const config = bootstrap.configRef && (await observeReference(scope, "bootstrap", bootstrap.configRef));
  if (config) scope.bootstrap = config;
  scope.infrastructure = await observeReference(scope, "infrastructure", infrastructureRef);
  copyContractFields(scope);
  const isFollowed = scope.infrastructure.isFollowed && (config?.isFollowed ?? true);
  return isFollowed ? next : again(POLL_MS, "PollingReferences");
}

function observeReference(
  { context, machine }: Scope,
  which: keyof typeof REFERENCES,
  reference: Frozen<ContractReference>,
): Promise<ResolvedReference> {
  const adopter = { owner: machine, clusterName: machine.spec.clusterName };
  return reconcileReference(context, { reference, ...REFERENCES[which] }, adopter);
}

function copyContractFields({ machine, bootstrap, infrastructure }: Scope): void {
  const config = readyIn(bootstrap);
  const dataSecretName = config && dataSecretNameOf(config);
  if (dataSecretName !== undefined) machine.spec.bootstrap.dataSecretName = dataSecretName;
  const vm = readyIn(infrastructure);
  if (vm) copyInfrastructureFields(machine, vm);
}

function copyInfrastructureFields(machine: Scope["machine"], vm: Frozen<ContractObject>): void {
  const { spec } = machine;
  const providerID = providerIDOf(vm);
  const failureDomain = failureDomainOf(vm);
  const addresses = addressesOf(vm);
  if (providerID !== undefined) spec.providerID = providerID;
  // While updaters run, the failure domain is what they work towards.
  if (failureDomain !== undefined && !isUpdatingInPlace(machine)) spec.failureDomain = failureDomain;
  machine.status = {
    ...machine.status,
    ...(addresses.length > 0 && { addresses }),
    ...(failureDomain !== undefined && { failureDomain }),
  };
}

function readyIn(resolved: ResolvedReference | undefined): Frozen<ContractObject> | undefined {
  return resolved?.state === "found" && isReady(resolved.object) ? resolved.object : undefined;
}

/** Finds the Node of the machine and sets labels, annotations and taints on it. */
export async function observeNode(scope: Scope): Promise<Outcome> {
  scope.node = await lookUpNode(scope);
  const { node, context, machine, set } = scope;
  if (node.state === "unknown") return again(SOON_MS, node.reason);
  const nowMs = context.env.clock.now();
  if (node.state !== "found") {
    const leftMs = joinDueInMs(machine, nowMs) ?? 0;
    return leftMs > 0 ? again(leftMs, "NodeProvisioning") : next;
  }
  await updateNode(scope, node.node, nowMs);
  const { availableAtMs } = availabilityOfMachine({ machine, set, node: node.node, nowMs });
  if (availableAtMs === undefined || availableAtMs <= nowMs) return next;
  return again(availableAtMs - nowMs, "WaitingForMinReadySeconds");
}

async function updateNode(scope: Scope, node: Frozen<Node>, nowMs: number): Promise<void> {
  const { workload, machine } = scope;
  const body = decideNodePatch(machine, node, isOutdated(scope, nowMs));
  if (body && workload) await workload.patch(Node, { name: node.metadata.name }, { type: "merge", body });
}

/** The Node with the provider id of the machine. */
export async function lookUpNode(scope: Scope): Promise<NodeLookup> {
  const { cluster, machine } = scope;
  const { providerID } = machine.spec;
  // No machine can have joined a cluster without an initialized control plane.
  if (!cluster || providerID === undefined) return { state: "none" };
  if (!isControlPlaneInitialized(cluster)) return { state: "none" };
  const rival = rivalOf(scope, providerID);
  if (rival !== undefined) {
    return { state: "disputed", message: `Machine ${rival} has the same spec.providerID, ${providerID}` };
  }
  try {
    return await nodeWith(scope, cluster, providerID);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { state: "unknown", reason: error.reason, message: error.message };
  }
}

async function nodeWith(scope: Scope, cluster: Frozen<Cluster>, providerID: string): Promise<NodeLookup> {
  const { context, ports } = scope;
  const workload = await ports.workloads.get(cluster);
  const nodes = (await workload.nodes()).of(providerID);
  scope.workload = logDisruptions(
    guardWrites(workload.client, () => context.assertMayWrite()),
    context.log,
  );
  const [node] = nodes;
  if (!node) return { state: "none" };
  if (nodes.length === 1) return { state: "found", node };
  const names = nodes.map(({ metadata }) => metadata.name).toSorted();
  return { state: "disputed", message: `Nodes ${names.join(" and ")} have the provider id ${providerID}` };
}

/** An older Machine of the same Cluster with the same provider id: the Node belongs to it. */
function rivalOf({ context, machine }: Scope, providerID: string): string | undefined {
  const rivals = machinesWith(context.cache, clusterNameOf(machine), [providerID]).filter(
    (other) => other.metadata.uid !== machine.metadata.uid && seniorityOf(other) < seniorityOf(machine),
  );
  return rivals[0]?.metadata.name;
}

function seniorityOf({ metadata }: Frozen<Machine>): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}
