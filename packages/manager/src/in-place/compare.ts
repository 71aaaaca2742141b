import {
  type CanUpdateMachineRequest,
  CONTROL_PLANE_LABEL,
  type Frozen,
  groupOf,
  isJsonObject,
  KubeadmConfig,
  type KubernetesObject,
  type Machine,
} from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import type { ContractObject } from "../contract/contract-object.ts";
import type { ResolvedReference } from "../contract/resolve.ts";
import { changedPaths, normalizedConfigs, withImpliedGate } from "@capstan/plan";
import {
  type ComparedObjects,
  type MachineObjects,
  shownObject,
  type UpdaterQuestion,
} from "./machine-objects.ts";
import { proposalForm } from "./proposal-form.ts";

/** The difference between a machine and its desired state, as a question to updaters; or why it cannot be updated. */
export type DesiredState =
  | ({ readonly state: "possible" } & UpdaterQuestion)
  | { readonly state: "impossible"; readonly paths: readonly string[]; readonly why: string };

/** An object of a machine, and the configuration that its owner would apply over it. */
export interface PartToCompare {
  readonly name: "infraMachine" | "bootstrap";
  readonly existing: ResolvedReference & { readonly state: "found" };
  readonly body: KubernetesObject;
  /** The field manager that created the object. */
  readonly fieldManager: string;
}

/** An object of a machine before and after an update. */
interface ComparedPart {
  readonly current: Frozen<ContractObject>;
  readonly desired: Frozen<ContractObject>;
}

/** The objects of a machine before and after an update. */
export interface ComparedParts {
  readonly infrastructure: ComparedPart;
  readonly bootstrap: ComparedPart | undefined;
}

/** A machine that no updater can change into the desired one. */
export class Impossible extends Error {
  override readonly name = "Impossible";
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The desired state of a machine, or why it is impossible. */
export async function desiredStateOr(question: () => Promise<UpdaterQuestion>): Promise<DesiredState> {
  try {
    return { state: "possible", ...(await question()) };
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    return { state: "impossible", paths: [error.path], why: error.message };
  }
}

/**
 * Applies the desired configuration over the existing object, as a dry run with the field manager that created it. So only
 * what the owner changes is a change: defaults of webhooks and fields that providers write are equal on both sides.
 */
export async function comparePart(
  client: Client,
  { name: part, existing, body, fieldManager }: PartToCompare,
): Promise<ComparedPart> {
  const { kind, name } = existing.target;
  try {
    const desired = await client.patch(kind, name, {
      type: "apply",
      body,
      fieldManager,
      force: true,
      dryRun: true,
    });
    return { current: existing.object, desired };
  } catch (error) {
    if (!(error instanceof Failure) || error.failure !== "Terminal") throw error;
    throw new Impossible(`${part}.spec`, `the change is refused: ${error.message}`);
  }
}

/** The question to updaters which of the changes they can make. */
export function updateQuestion(
  machine: Frozen<Machine>,
  desiredMachine: Frozen<Machine>,
  { infrastructure, bootstrap }: ComparedParts,
): UpdaterQuestion {
  const current = {
    machine,
    infraMachine: infrastructure.current,
    bootstrap: bootstrap && withoutImpliedChanges(bootstrap),
  };
  const desired = {
    machine: desiredMachine,
    infraMachine: infrastructure.desired,
    bootstrap: bootstrap?.desired,
  };
  const form = proposalForm([infrastructure.current, ...(bootstrap ? [bootstrap.current] : [])]);
  const formed = (objects: MachineObjects): MachineObjects => ({
    machine: form(objects.machine, objects.machine as Frozen<Machine>),
    infraMachine: objects.infraMachine,
    bootstrap: objects.bootstrap && form(objects.bootstrap, objects.machine as Frozen<Machine>),
  });
  return {
    objects: normalized({ current, desired }),
    changesBetween: (compared) =>
      changesBetween({ current: formed(compared.current), desired: formed(compared.desired) }),
    request: requestOf({ current: formed(current), desired: formed(desired) }),
  };
}

/** The gate that a control plane adds with a version is part of the version, not a change that an updater has to know. */
function withoutImpliedChanges({ current, desired }: ComparedPart): Frozen<ContractObject> {
  if (!isKubeadmConfig(current)) return current;
  return { ...current, spec: withImpliedGate(kubeadmSpec(current), kubeadmSpec(desired)) };
}

/** Cluster API shows the config of a control plane in one form, without what does not concern a running machine. */
function normalized({ current, desired }: ComparedObjects): ComparedObjects {
  const isControlPlane = current.machine.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
  if (!isControlPlane || !isKubeadmConfig(current.bootstrap) || !isKubeadmConfig(desired.bootstrap))
    return { current, desired };
  const specs = normalizedConfigs(kubeadmSpec(current.bootstrap), kubeadmSpec(desired.bootstrap));
  return {
    current: { ...current, bootstrap: { ...current.bootstrap, spec: specs.current } },
    desired: { ...desired, bootstrap: { ...desired.bootstrap, spec: specs.desired } },
  };
}

function isKubeadmConfig(object: Frozen<ContractObject> | undefined): object is Frozen<ContractObject> {
  return object?.kind === KubeadmConfig.kind && groupOf(object.apiVersion) === KubeadmConfig.group;
}

function kubeadmSpec(object: Frozen<ContractObject>): Frozen<KubeadmConfig>["spec"] {
  return object.spec ?? {};
}

function changesBetween({ current, desired }: ComparedObjects): readonly string[] {
  return [
    ...changedPaths("machine.spec", machineFields(current), machineFields(desired)),
    ...changedPaths("bootstrap.spec", current.bootstrap?.spec, desired.bootstrap?.spec),
    ...changedPaths("infraMachine.spec", current.infraMachine.spec, desired.infraMachine.spec),
  ];
}

/** The other fields of a Machine are not about the machine as it runs. */
function machineFields({ machine }: MachineObjects): object {
  const { version, failureDomain } = isJsonObject(machine.spec) ? machine.spec : {};
  return { version, failureDomain };
}

function requestOf({ current, desired }: ComparedObjects): CanUpdateMachineRequest {
  return {
    desiredMachine: shownObject(desired.machine),
    ...(desired.bootstrap && { desiredBootstrapConfig: shownObject(desired.bootstrap) }),
    desiredInfraMachine: shownObject(desired.infraMachine),
    currentMachine: shownObject(current.machine),
    ...(current.bootstrap && { currentBootstrapConfig: shownObject(current.bootstrap) }),
    currentInfraMachine: shownObject(current.infraMachine),
    changes: [...changesBetween({ current, desired })],
  } as CanUpdateMachineRequest;
}
