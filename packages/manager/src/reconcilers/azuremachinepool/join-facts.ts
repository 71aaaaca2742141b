import type { AzureMachinePoolMachine, Frozen, Node } from "@capstan/api";
import { byProviderID } from "../../azure/scale-set/by-provider-id.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { instanceObstacle } from "../../workload/availability.ts";
import { providerKey, type WorkloadNodes } from "../../workload/nodes.ts";
import { findNode } from "../azuremachinepoolmachine/find-node.ts";
import { type Claim, claimOf, inOrderOfClaims } from "../azuremachinepoolmachine/claims.ts";
import type { InstanceFacts, MachineFacts } from "./machine-view.ts";
import { type AzureSight, machinesOf } from "./observe.ts";
import { isSaidToWork } from "./pool-view.ts";
import type { Scope } from "./scope.ts";

/** What was last put together for the resource of a machine; as long as all of it is the same, so are the facts. */
export interface Join extends Claim {
  readonly key: string;
  last?: { readonly parts: Parts; readonly facts: MachineFacts };
}

interface Parts {
  readonly instance: ScaleSetInstance | undefined;
  /** The Nodes that say they are the machine: the same array while none changes. Undefined while nobody can look. */
  readonly candidates: readonly Frozen<Node>[] | undefined;
  readonly isGoing: boolean;
  readonly modelHash: string | undefined;
}

/**
 * Puts resources, instances and Nodes together. An instance is found by its whole id, never by the name of a resource.
 * Of a pool of a thousand a few machines have changed since the last pass: for the others nothing is made anew.
 */
export function joinFacts(
  scope: Scope,
  { instances, set }: AzureSight,
  nodes: WorkloadNodes | undefined,
): readonly MachineFacts[] {
  const isGoing = acceptedDeletions(scope);
  const byKey = byProviderID(instances);
  const taken = new Set<string>();
  const partsOf = (key: string): Parts => {
    const instance = taken.has(key) ? undefined : byKey.get(key);
    if (instance) taken.add(key);
    return {
      instance,
      candidates: instance ? nodes && candidatesOf(nodes, key) : NO_NODES,
      isGoing: instance !== undefined && isGoing(instance.instanceID),
      modelHash: set?.modelHash,
    };
  };
  const facts = inOrderOfClaims(joinsOf(scope)).map((join) => {
    const parts = partsOf(join.key);
    if (!join.last || !isSame(join.last.parts, parts))
      join.last = { parts, facts: factsOf(parts, join.machine) };
    return join.last.facts;
  });
  const unclaimed = [...byKey.keys()].filter((key) => !taken.has(key));
  return [...facts, ...unclaimed.map((key) => factsOf(partsOf(key)))];
}

/** The resources of a pool, with what is known of each. */
function joinsOf(scope: Scope): readonly Join[] {
  const { joins } = scope.memory;
  return machinesOf(scope).map((machine) => {
    const known = joins.get(machine);
    if (known) return known;
    const join: Join = { ...claimOf(machine), key: providerKey(machine.spec.providerID) };
    joins.set(machine, join);
    return join;
  });
}

function isSame(one: Parts, other: Parts): boolean {
  return (
    one.instance === other.instance &&
    one.candidates === other.candidates &&
    one.isGoing === other.isGoing &&
    one.modelHash === other.modelHash
  );
}

/** Instances that Azure has agreed to delete go, whatever a list from before says. */
function acceptedDeletions({ memory, pool }: Scope): (instanceID: string) => boolean {
  const running = (pool.status?.instanceOperations ?? []).filter(
    ({ action, url }) => action === "delete" && url !== undefined,
  );
  const ids = new Set(running.flatMap(({ instanceIDs = [] }) => instanceIDs));
  return (id) => ids.has(id) || memory.endedOn(id) === "delete";
}

const NO_NODES: readonly Frozen<Node>[] = [];

function candidatesOf(nodes: WorkloadNodes, key: string): readonly Frozen<Node>[] {
  const candidates = nodes.of(key);
  return candidates.length > 0 ? candidates : NO_NODES;
}

/**
 * A machine works by the Node that its own controller takes for its Node, and by no other. While nobody can look at
 * Nodes, it does what it was last seen to do: a pool that shrinks then must not choose as if nothing worked.
 */
function factsOf(
  { instance, candidates, isGoing, modelHash }: Parts,
  machine?: Frozen<AzureMachinePoolMachine>,
): MachineFacts {
  if (!instance) return machine ? { machine } : {};
  const facts = instanceFacts(instance, modelHash);
  const known = {
    ...(machine && { machine }),
    instance: isGoing ? { ...facts, provisioningState: "Deleting" } : facts,
  };
  if (!candidates) return { ...known, isAvailable: wasAvailable(known) };
  const sighting = findNode(candidates, { instance, knownUID: machine?.status?.nodeRef?.uid });
  return { ...known, ...(sighting.state === "found" && { node: sighting.node }) };
}

/** Azure answers all the same, and knows which instances do not run any more. */
function wasAvailable(facts: MachineFacts): boolean {
  const { machine } = facts;
  return machine !== undefined && isSaidToWork(machine) && instanceObstacle(facts) === undefined;
}

function instanceFacts(instance: ScaleSetInstance, modelHash: string | undefined): InstanceFacts {
  const { instanceID, providerID, provisioningState, powerState, isLatestModel, createdMs } = instance;
  return {
    instanceID,
    providerID,
    provisioningState,
    powerState,
    ...(isLatestModel !== undefined && { isLatestModel }),
    ...(createdMs !== undefined && { createdMs }),
    ...(isLatestModel === true && modelHash !== undefined && { modelHash }),
  };
}
