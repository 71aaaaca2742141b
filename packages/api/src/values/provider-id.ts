/**
 * The ids by which Kubernetes knows Azure machines: `azure://` and an ARM id.
 *
 * The same text is on the Node (written by the cloud provider) and on our machines; both lower-case the
 * resource group, so `formatProviderId` does too, and `sameProviderId` compares without regard to case.
 */
import { ArmIdError, type ArmId, armIdType, foldCase, formatArmId, parseArmId, sameArmId } from "./arm-id.ts";
import { problemOf } from "./problem-of.ts";

/** What a provider id can refer to. */
export type ProviderId = ScaleSetId | ScaleSetInstanceId | VirtualMachineId;

/** A scale set: the provider id of a pool. */
export interface ScaleSetId {
  readonly kind: "scaleSet";
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly scaleSet: string;
}

/** An instance of a scale set in Uniform orchestration. */
export interface ScaleSetInstanceId {
  readonly kind: "scaleSetInstance";
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly scaleSet: string;
  readonly instanceID: string;
}

/** A standalone virtual machine, or an instance of a scale set in Flexible orchestration. */
export interface VirtualMachineId {
  readonly kind: "virtualMachine";
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
}

const SCHEME = "azure://";
const COMPUTE = "Microsoft.Compute";
const SCALE_SETS = "virtualMachineScaleSets";
const MACHINES = "virtualMachines";
const MACHINE_TYPE = foldCase(`${COMPUTE}/${MACHINES}`);
const SCALE_SET_TYPE = foldCase(`${COMPUTE}/${SCALE_SETS}`);
const INSTANCE_TYPE = foldCase(`${COMPUTE}/${SCALE_SETS}/${MACHINES}`);

// Nearly all ids: the machines of pools in the form of the cloud provider, with names of usual characters and length.
const PLAIN_INSTANCE =
  /^azure:\/\/\/subscriptions\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/resourceGroups\/([\w-][\w.-]{0,89})\/providers\/Microsoft\.Compute\/virtualMachineScaleSets\/([\w-][\w.-]{0,89})\/virtualMachines\/([\w-][\w.-]{0,89})$/;

/** Parses a provider id; throws an ArmIdError if the text does not name an Azure machine. */
export function parseProviderId(text: string): ProviderId {
  const plain = PLAIN_INSTANCE.exec(text);
  if (!plain) return parseAnyProviderId(text);
  const [, subscription = "", resourceGroup = "", scaleSet = "", instanceID = ""] = plain;
  return { kind: "scaleSetInstance", subscription, resourceGroup, scaleSet, instanceID };
}

function parseAnyProviderId(text: string): ProviderId {
  if (!text.startsWith(SCHEME)) {
    throw new ArmIdError(`a provider id starts with "${SCHEME}/subscriptions/"`);
  }
  const id = parseArmId(text.slice(SCHEME.length));
  const { subscription, resourceGroup } = id;
  const [first, second] = id.parts;
  if (resourceGroup !== undefined && first) {
    const type = foldCase(armIdType(id) ?? "");
    if (type === MACHINE_TYPE) {
      return { kind: "virtualMachine", subscription, resourceGroup, name: first.name };
    }
    if (type === SCALE_SET_TYPE) {
      return { kind: "scaleSet", subscription, resourceGroup, scaleSet: first.name };
    }
    if (second && type === INSTANCE_TYPE) {
      const instanceID = second.name;
      return { kind: "scaleSetInstance", subscription, resourceGroup, scaleSet: first.name, instanceID };
    }
  }
  throw new ArmIdError(
    `a provider id names a ${COMPUTE}/${MACHINES}, ${COMPUTE}/${SCALE_SETS} or ${COMPUTE}/${SCALE_SETS}/${MACHINES}`,
  );
}

/** The problem of a provider id, or undefined if it is valid. */
export function providerIdProblem(text: string): string | undefined {
  return problemOf(ArmIdError, () => parseProviderId(text));
}

/** Prints a provider id in the form that the cloud provider sets on Nodes. */
export function formatProviderId(id: ProviderId): string {
  return SCHEME + formatArmId({ ...armIdOf(id), resourceGroup: id.resourceGroup.toLowerCase() });
}

/** The ARM id of a provider id. */
export function armIdOf(id: ProviderId): ArmId {
  const { subscription, resourceGroup } = id;
  return { subscription, resourceGroup, provider: COMPUTE, parts: partsOf(id) };
}

/** Whether two provider ids name the same machine. */
export function sameProviderId(left: string, right: string): boolean {
  return sameArmId(left, right);
}

function partsOf(id: ProviderId): ArmId["parts"] {
  switch (id.kind) {
    case "virtualMachine":
      return [{ type: MACHINES, name: id.name }];
    case "scaleSet":
      return [{ type: SCALE_SETS, name: id.scaleSet }];
    case "scaleSetInstance":
      return [
        { type: SCALE_SETS, name: id.scaleSet },
        { type: MACHINES, name: id.instanceID },
      ];
  }
}
