import {
  CLUSTER_NAME_LABEL,
  CONTROL_PLANE_LABEL,
  CONTROL_PLANE_NAME_LABEL,
  controllerReferenceTo,
  type Frozen,
  KubeadmConfig,
  type KubeadmControlPlane,
  type KubernetesObject,
  labelValueFor,
  type Machine,
} from "@capstan/api";
import { initForm, joinForm } from "@capstan/plan";
import type { ContractObject } from "../../contract/contract-object.ts";
import { templateMetadata } from "../../machines/configuration.ts";
import type { MachineOwner, Texts } from "../../machines/owner.ts";
import { CLEANUP_HOOK } from "./cleanup-hook.ts";
import { formatRecord, parseRecord, REMEDIATION_FOR_ANNOTATION } from "./remediation-record.ts";

/** A control plane with its machines. */
export interface ControlPlaneParts {
  readonly controlPlane: Frozen<KubeadmControlPlane>;
  readonly machines: readonly Frozen<Machine>[];
  readonly clusterName: string;
}

const DEFAULT_NAMING = "{{ .kubeadmControlPlane.name }}-{{ .random }}";

/** A KubeadmControlPlane as the owner of its machines. */
export function controlPlaneOwner(parts: ControlPlaneParts): MachineOwner {
  const { controlPlane, clusterName } = parts;
  const { name } = controlPlane.metadata;
  const { machineTemplate, machineNaming, version } = controlPlane.spec;
  const membership = {
    [CLUSTER_NAME_LABEL]: clusterName,
    [CONTROL_PLANE_LABEL]: "",
    [CONTROL_PLANE_NAME_LABEL]: labelValueFor(name),
  };
  return {
    object: controlPlane,
    clusterName,
    fieldManager: "capi-kubeadmcontrolplane",
    membership,
    metadata: templateMetadata(machineTemplate.metadata, membership),
    machineAnnotations,
    followed: machineTemplate.spec,
    version,
    failureDomain: undefined,
    naming: {
      template: machineNaming?.template ?? DEFAULT_NAMING,
      values: { ".cluster.name": clusterName, ".kubeadmControlPlane.name": name },
    },
    infrastructure: {
      reference: machineTemplate.spec.infrastructureRef,
      field: "spec.machineTemplate.spec.infrastructureRef",
    },
    bootstrap: {
      from: "owner",
      kind: KubeadmConfig,
      config: (machine, existing) =>
        configOf(controlPlane, { machine, membership, role: roleOf(parts, machine, existing) }),
    },
  };
}

/** A replacement keeps the record of the machine that it replaces. */
function machineAnnotations(machine: Frozen<Machine> | undefined): Texts {
  const remediated = parseRecord(machine?.metadata.annotations?.[REMEDIATION_FOR_ANNOTATION]);
  return {
    [CLEANUP_HOOK]: "",
    ...(remediated && { [REMEDIATION_FOR_ANNOTATION]: formatRecord(remediated) }),
  };
}

type Role = "init" | "join";

/**
 * Until the cluster is initialized, its one machine initializes it. An existing KubeadmConfig keeps its form: the other form
 * is not a change of the machine.
 */
function roleOf(
  { controlPlane, machines }: ControlPlaneParts,
  machine: Frozen<Machine>,
  existing: Frozen<ContractObject> | undefined,
): Role {
  if (existing) {
    const { joinConfiguration } = (existing as Frozen<KubeadmConfig>).spec;
    return joinConfiguration?.controlPlane === undefined ? "init" : "join";
  }
  const others = machines.filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
  const isAlone = others.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return controlPlane.status?.initialization?.controlPlaneInitialized !== true && isAlone ? "init" : "join";
}

interface ConfigRequest {
  readonly machine: Frozen<Machine>;
  readonly membership: Texts;
  readonly role: Role;
}

/** The KubeadmConfig of a machine, in the form of its role. It belongs to the Machine from the start. */
function configOf(
  { spec }: Frozen<KubeadmControlPlane>,
  { machine, membership, role }: ConfigRequest,
): KubernetesObject & { readonly spec: unknown } {
  const { name, namespace } = machine.metadata;
  const version = machine.spec.version ?? spec.version;
  const form = role === "init" ? initForm : joinForm;
  return {
    apiVersion: KubeadmConfig.apiVersion,
    kind: KubeadmConfig.kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: { ...membership },
      ownerReferences: [controllerReferenceTo(machine)],
    },
    spec: form(spec.kubeadmConfigSpec ?? {}, version),
  };
}
