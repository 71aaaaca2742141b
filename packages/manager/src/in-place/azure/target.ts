import {
  armIdOf,
  AzureMachine,
  CLUSTER_NAME_LABEL,
  formatArmId,
  type Frozen,
  getCondition,
  Machine,
  MachineSet,
  parseProviderId,
  providerIdProblem,
  RETRY_UPDATE_ANNOTATION,
  SET_NAME_LABEL,
} from "@capstan/api";
import { type Client, shortHash } from "@capstan/runtime";
import type { Arm } from "@capstan/azure";
import type { Owner } from "@capstan/plan";
import { refersTo } from "../../contract/reference.ts";
import type { DesiredMachine, ObservedNode } from "./decide-step.ts";

/** Reads the objects of machines from the management cluster. */
export interface TargetPorts {
  readonly client: Pick<Client, "find" | "page">;
  /** The way to Azure with the identity of the machine's cluster, or of the updater. */
  readonly armFor: (machine: Frozen<AzureMachine>) => Promise<Arm>;
}

/** A virtual machine to update. */
export interface Target {
  readonly azureMachine: Frozen<AzureMachine>;
  /** The ARM id of the virtual machine. */
  readonly id: string;
  /** Whose the virtual machine must be: a provider id could name any. */
  readonly owner: Owner;
  readonly desired: DesiredMachine;
  readonly node: ObservedNode;
}

interface Named {
  readonly name: string;
  readonly namespace: string;
}

/** The virtual machine of a Machine; a text says why there is none to update. */
export async function targetOf(client: TargetPorts["client"], name: Named): Promise<Target | string> {
  const machine = await client.find(Machine, name);
  if (!machine) return `Machine ${name.namespace}/${name.name} does not exist`;
  const reference = machine.spec.infrastructureRef;
  if (!refersTo(reference, AzureMachine))
    return `Machine ${name.name} has the infrastructure ${reference.kind}, which this updater does not change; it changes AzureMachines`;
  const azureMachine = await client.find(AzureMachine, { name: reference.name, namespace: name.namespace });
  if (!azureMachine) return `AzureMachine ${name.namespace}/${reference.name} does not exist`;
  const id = virtualMachineOf(azureMachine.spec.providerID ?? "");
  if (id === undefined)
    return `spec.providerID of AzureMachine ${reference.name} does not name a virtual machine: ${JSON.stringify(azureMachine.spec.providerID ?? "")}`;
  return targetFrom(machine, azureMachine, id);
}

function targetFrom(machine: Frozen<Machine>, azureMachine: Frozen<AzureMachine>, id: string): Target {
  const { metadata, spec } = azureMachine;
  const clusterName = metadata.labels?.[CLUSTER_NAME_LABEL] ?? machine.spec.clusterName;
  const attempt = shortHash(machine.metadata.annotations?.[RETRY_UPDATE_ANNOTATION] ?? "");
  return {
    azureMachine,
    id,
    owner: { clusterName, clusterKey: `${machine.metadata.namespace}/${clusterName}` },
    desired: { size: spec.vmSize, tags: ownTags(spec.additionalTags), attempt },
    node: nodeOf(machine),
  };
}

// The owner of a machine, and what this updater remembers, do not belong among the tags of a template.
const RESERVED = /^(sigs\.k8s\.io_|kubernetes\.io_|capstan_|name$)/i;

function ownTags(tags: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => !RESERVED.test(name)));
}

function nodeOf({ status }: Frozen<Machine>): ObservedNode {
  const isReady = getCondition(status?.conditions, "NodeReady")?.status === "True";
  return { bootID: status?.nodeInfo?.bootID ?? "", isReady };
}

/** The ARM id of the virtual machine with a provider id; undefined if it names none, such as an instance of a scale set. */
function virtualMachineOf(providerID: string): string | undefined {
  if (providerIdProblem(providerID) !== undefined) return undefined;
  const parsed = parseProviderId(providerID);
  return parsed.kind === "virtualMachine" ? formatArmId(armIdOf(parsed)) : undefined;
}

// The machines of a set have the same template; one that runs stands for the others.
const MACHINES_LOOKED_AT = 20;

/** A machine of the object that a question is about: the Machine itself, or one of the MachineSet that runs. */
export async function machineAskedAbout(
  client: TargetPorts["client"],
  asked: { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } },
): Promise<Target | string> {
  const { name, namespace = "" } = asked.metadata;
  if (asked.kind !== MachineSet.kind) return targetOf(client, { name, namespace });
  const { items } = await client.page(Machine, {
    namespace,
    labelSelector: `${SET_NAME_LABEL}=${name}`,
    limit: MACHINES_LOOKED_AT,
  });
  const running = items.find(
    ({ spec, metadata }) => spec.providerID !== undefined && metadata.deletionTimestamp === undefined,
  );
  if (!running) return `MachineSet ${name} has no machine with a provider id`;
  return targetOf(client, { name: running.metadata.name, namespace });
}
