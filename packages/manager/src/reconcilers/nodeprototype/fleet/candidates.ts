import type { Frozen, Node } from "@capstan/api";
import { type Candidate, isFailure } from "@capstan/plan";
import { isNodeReady } from "../../../workload/availability.ts";
import type { WorkloadNodes } from "../../../workload/nodes.ts";
import type { FleetMachine } from "./fleet.ts";
import { renewalOf, type Scope } from "../scope.ts";

const PRESSURES = ["MemoryPressure", "DiskPressure", "PIDPressure"];
/** Annotation of a machine: it is never a donor. */
export const EXCLUDED = "capstan.dev/exclude-prototype-donor";

/** The Node of a machine. A Machine refers to it by name, the machine of a pool by UID. */
export function nodeOf(
  nodes: WorkloadNodes,
  { providerID, nodeRef }: FleetMachine,
): Frozen<Node> | undefined {
  if (!nodeRef) return undefined;
  const { name, uid } = nodeRef;
  return nodes
    .of(providerID)
    .find(({ metadata }) => (uid === undefined ? metadata.name === name : metadata.uid === uid));
}

/** The machines of the owner, as the choice of a donor sees them. */
export function candidatesOf(scope: Scope, nodes: WorkloadNodes): readonly Candidate[] {
  const { lastError, donor } = renewalOf(scope);
  const failed = isFailure(lastError) ? donor.machine : undefined;
  return scope.fleet.machines().map((machine) => ({
    ...machine.facts,
    ...healthOf(machine, nodeOf(nodes, machine)),
    ...(machine.facts.machine === failed && { hasFailedAsDonor: true }),
  }));
}

type Health = Pick<Candidate, "isReady" | "isCordoned" | "hasNode" | "pressure">;

function healthOf({ facts }: FleetMachine, node: Frozen<Node> | undefined): Health {
  const pressure = node?.status?.conditions?.find(
    (one) => PRESSURES.includes(one.type) && one.status === "True",
  );
  return {
    isReady: facts.isReady && (node === undefined || isNodeReady(node)),
    isCordoned: node?.spec?.unschedulable === true,
    hasNode: node !== undefined,
    ...(pressure && { pressure: pressure.type }),
  };
}
