import {
  AzureMachine,
  CLUSTER_NAME_LABEL,
  CONTROL_PLANE_LABEL,
  CONTROL_PLANE_NAME_LABEL,
  controllerReferenceTo,
  type Frozen,
  type Kind,
  KubeadmConfig,
  type KubeadmControlPlane,
  type KubernetesObject,
  labelValueFor,
  type Machine,
  type ObjectReference,
  PRE_TERMINATE_HOOK_PREFIX,
} from "@capstan/api";
import type { Rng } from "@capstan/env";
import { initForm, joinForm, type RemediationRecord } from "@capstan/plan";
import { MACHINE_FINALIZER } from "../../machines/conditions.ts";
import { machineNameFrom } from "../machine-name.ts";
import { formatRecord, REMEDIATION_FOR_ANNOTATION } from "./remediation-record.ts";

/** The field manager of control planes in Cluster API: after a take-over, the fields keep their owner. */
export const CONTROL_PLANE_FIELD_MANAGER = "capi-kubeadmcontrolplane";
/** The hook by which the deletion of a machine waits until its member has left etcd. */
export const CLEANUP_HOOK = `${PRE_TERMINATE_HOOK_PREFIX}/kcp-cleanup`;
const DEFAULT_NAMING = "{{ .kubeadmControlPlane.name }}-{{ .random }}";

type Owner = Frozen<KubeadmControlPlane>;

/** The labels of the machines of a control plane and of their clones. */
export function machineLabels({ metadata, spec }: Owner, clusterName: string): Record<string, string> {
  return {
    ...spec.machineTemplate.metadata?.labels,
    [CLUSTER_NAME_LABEL]: clusterName,
    [CONTROL_PLANE_LABEL]: "",
    [CONTROL_PLANE_NAME_LABEL]: labelValueFor(metadata.name),
  };
}

/** The fields of a machine that are set when it is created, and never again. */
export interface FixedFields {
  readonly infrastructureRef: Frozen<ObjectReference>;
  readonly configRef: Frozen<ObjectReference>;
  readonly version: string;
  readonly failureDomain: string | undefined;
  /** The remediation that the machine is the replacement for. */
  readonly remediationFor?: RemediationRecord | undefined;
}

/** The configuration of a Machine that its control plane applies. */
export function machineConfiguration(owner: Owner, clusterName: string, fixed: FixedFields): object {
  const { readinessGates, taints, metadata, ...timeouts } = owner.spec.machineTemplate;
  const { nodeDrainTimeout, nodeVolumeDetachTimeout, nodeDeletionTimeout } = timeouts;
  const { infrastructureRef, configRef, version, failureDomain, remediationFor } = fixed;
  return {
    metadata: {
      labels: machineLabels(owner, clusterName),
      annotations: {
        ...metadata?.annotations,
        [CLEANUP_HOOK]: "",
        ...(remediationFor && { [REMEDIATION_FOR_ANNOTATION]: formatRecord(remediationFor) }),
      },
      finalizers: [MACHINE_FINALIZER],
      ownerReferences: [controllerReferenceTo(owner)],
    },
    spec: defined({
      clusterName,
      version,
      failureDomain,
      infrastructureRef,
      bootstrap: { configRef },
      readinessGates,
      taints,
      nodeDrainTimeout,
      nodeVolumeDetachTimeout,
      nodeDeletionTimeout,
    }),
  };
}

/** The fixed fields of an existing Machine. */
export function fixedFieldsOf(
  { spec }: Frozen<Machine>,
  remediationFor: RemediationRecord | undefined,
): FixedFields {
  const { infrastructureRef, bootstrap, version = "", failureDomain } = spec;
  return { infrastructureRef, configRef: bootstrap.configRef ?? {}, version, failureDomain, remediationFor };
}

/** The KubeadmConfig of a machine, in the form of its role. It belongs to the Machine from the start. */
export function configOf(
  owner: Owner,
  machine: Frozen<Machine>,
  role: "init" | "join",
): KubernetesObject & { readonly spec: unknown } {
  const { name, namespace } = machine.metadata;
  const { kubeadmConfigSpec, machineTemplate } = owner.spec;
  const version = machine.spec.version ?? owner.spec.version;
  return {
    apiVersion: KubeadmConfig.apiVersion,
    kind: KubeadmConfig.kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: machineLabels(owner, machine.spec.clusterName),
      annotations: { ...machineTemplate.metadata?.annotations },
      ownerReferences: [controllerReferenceTo(machine)],
    },
    spec: role === "init" ? initForm(kubeadmConfigSpec, version) : joinForm(kubeadmConfigSpec, version),
  };
}

/** A reference to the KubeadmConfig of a machine. */
export function configReference({ metadata }: Owner, name: string): ObjectReference {
  const { namespace = "" } = metadata;
  return { apiVersion: KubeadmConfig.apiVersion, kind: KubeadmConfig.kind, name, namespace };
}

/** A new name for a machine of a control plane, by its naming strategy. */
export function newMachineName({ metadata, spec }: Owner, clusterName: string, rng: Rng): string {
  const template = spec.machineNamingStrategy?.template ?? DEFAULT_NAMING;
  return machineNameFrom(
    template,
    { ".cluster.name": clusterName, ".kubeadmControlPlane.name": metadata.name },
    rng,
  );
}

/** Capstan's kinds that a control plane clones: watched from the start. */
export const CLONED_KINDS: readonly Kind[] = [AzureMachine, KubeadmConfig];

function defined(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
