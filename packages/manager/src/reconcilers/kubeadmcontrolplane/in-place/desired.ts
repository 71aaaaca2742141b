import {
  controllerReferenceTo,
  type Frozen,
  type KubeadmConfig,
  type KubernetesObject,
  type Machine,
  type ObjectReference,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { waiting } from "@capstan/runtime";
import { cloneTemplate } from "../../../contract/clone-template.ts";
import type { ContractObject } from "../../../contract/contract-object.ts";
import { absence, resolve, type ResolvedReference } from "../../../contract/resolve.ts";
import {
  comparePart,
  type DesiredState,
  desiredStateOr,
  Impossible,
  type PartToCompare,
  updateRequest,
} from "../../../in-place/compare.ts";
import { CONTROL_PLANE_FIELD_MANAGER, configOf, machineLabels } from "../machine-object.ts";
import { readTemplate } from "../machines.ts";
import type { DecisionScope } from "./decision-scope.ts";

/** The objects of a machine with the configuration that its control plane applies over them. */
export interface DesiredParts {
  readonly infrastructure: PartToCompare;
  readonly bootstrap: PartToCompare | undefined;
}

const LOOKUP_MS = 30_000;

/** Compares a machine with what the control plane would create now. */
export function desiredState(scope: DecisionScope, machine: Frozen<Machine>): Promise<DesiredState> {
  return desiredStateOr(async () => {
    const { client } = scope.context;
    const parts = await desiredParts(scope, machine);
    const infrastructure = await comparePart(client, parts.infrastructure);
    const bootstrap = parts.bootstrap && (await comparePart(client, parts.bootstrap));
    return updateRequest(machine, desiredMachine(scope, machine), { infrastructure, bootstrap });
  });
}

/** The desired infrastructure and KubeadmConfig of a machine, under the names of the existing ones. */
export async function desiredParts(scope: DecisionScope, machine: Frozen<Machine>): Promise<DesiredParts> {
  const { infrastructureRef, bootstrap } = machine.spec;
  const template = await readTemplate(scope);
  const vm = await found(scope, infrastructureRef, "spec.infrastructureRef");
  if (template.kind !== `${vm.object.kind}Template`)
    throw new Impossible(
      "machine.spec.infrastructureRef",
      `a ${vm.object.kind} cannot become what a ${template.kind} describes`,
    );
  const config = bootstrap.configRef && (await found(scope, bootstrap.configRef, "spec.bootstrap.configRef"));
  const fieldManager = CONTROL_PLANE_FIELD_MANAGER;
  return {
    infrastructure: {
      name: "infraMachine",
      existing: vm,
      body: desiredInfrastructure(scope, machine, { template, name: vm.target.name.name }),
      fieldManager,
    },
    bootstrap: config && {
      name: "bootstrap",
      existing: config,
      body: desiredConfig(scope, machine, config.object),
      fieldManager,
    },
  };
}

/** With the annotation of an update: a provider may allow a change only under it. */
function desiredInfrastructure(
  { controlPlane }: DecisionScope,
  machine: Frozen<Machine>,
  { template, name }: { readonly template: Frozen<ContractObject>; readonly name: string },
): KubernetesObject {
  const { clusterName } = machine.spec;
  return cloneTemplate(template, {
    name,
    clusterName,
    labels: machineLabels(controlPlane, clusterName),
    annotations: {
      ...controlPlane.spec.machineTemplate.metadata?.annotations,
      [UPDATE_IN_PROGRESS_ANNOTATION]: "",
    },
    owner: controllerReferenceTo(machine),
  });
}

/** A machine keeps the form, init or join, that it was created with: the other form is not a change of the machine. */
function desiredConfig(
  scope: DecisionScope,
  machine: Frozen<Machine>,
  existing: Frozen<ContractObject>,
): KubernetesObject {
  const { joinConfiguration } = (existing as Frozen<KubeadmConfig>).spec;
  const role = joinConfiguration?.controlPlane === undefined ? "init" : "join";
  const { metadata, ...config } = configOf(scope.controlPlane, desiredMachine(scope, machine), role);
  const annotations = { ...metadata.annotations, [UPDATE_IN_PROGRESS_ANNOTATION]: "" };
  return { ...config, metadata: { ...metadata, name: existing.metadata.name, annotations } };
}

function desiredMachine({ controlPlane }: DecisionScope, machine: Frozen<Machine>): Frozen<Machine> {
  return { ...machine, spec: { ...machine.spec, version: controlPlane.spec.version } };
}

async function found(
  { context, controlPlane }: DecisionScope,
  reference: Frozen<ObjectReference>,
  field: string,
): Promise<ResolvedReference & { readonly state: "found" }> {
  const { namespace = "" } = controlPlane.metadata;
  const resolved = await resolve(context, { reference, field, namespace });
  if (resolved.state === "found") return resolved;
  const message = `${field}: ${absence(resolved)}`;
  throw waiting("WaitingForTemplate", message, resolved.isFollowed ? undefined : LOOKUP_MS);
}
