import {
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  DEPLOYMENT_NAME_LABEL,
  type Frozen,
  isJsonObject,
  labelValueFor,
  type Machine,
  type MachineSet,
  type ObjectReference,
  SET_NAME_LABEL,
  TEMPLATE_HASH_LABEL,
} from "@capstan/api";
import type { Rng } from "@capstan/env";
import { MACHINE_FINALIZER } from "../../machines/conditions.ts";
import { machineNameFrom } from "../machine-name.ts";

/** The field manager of MachineSets in Cluster API: after a take-over, the fields keep their owner. */
export const SET_FIELD_MANAGER = "capi-machineset";
/** The one for the labels and annotations of clones. */
export const METADATA_FIELD_MANAGER = "capi-machineset-metadata";

/** Labels and annotations that a MachineSet gives to its machines and their clones. */
export interface PropagatedMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The metadata of machines: that of the template, and the labels that say where they belong. */
export function propagatedMetadata(set: Frozen<MachineSet>): PropagatedMetadata {
  const { labels, annotations } = templateMetadata(set);
  return { labels: { ...labels, ...membershipLabels(set) }, annotations };
}

/** The labels of a machine and its clones that stay the same as long as the machine belongs to the set. */
export function membershipLabels({ metadata, spec }: Frozen<MachineSet>): PropagatedMetadata["labels"] {
  const deployment = metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  const hash = spec.template.metadata?.labels?.[TEMPLATE_HASH_LABEL];
  return {
    ...(deployment !== undefined && { [DEPLOYMENT_NAME_LABEL]: deployment }),
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    ...(hash !== undefined && { [TEMPLATE_HASH_LABEL]: hash }),
    [SET_NAME_LABEL]: labelValueFor(metadata.name),
  };
}

/** The labels and annotations of the template, which users change. */
export function templateMetadata(set: Frozen<MachineSet>): PropagatedMetadata {
  const { labels = {}, annotations } = set.spec.template.metadata ?? {};
  const own = membershipLabels(set);
  return {
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => own[name] === undefined)),
    annotations: { ...annotations },
  };
}

/** The fields of a Machine that are set when it is created, and never again. */
export interface FixedFields {
  readonly infrastructureRef: Frozen<ObjectReference>;
  readonly configRef?: Frozen<ObjectReference>;
  readonly dataSecretName?: string;
  readonly version?: string;
  readonly failureDomain?: string;
}

/** The fields of the spec of existing machines that follow the template. */
export function propagatedSpec({ spec: { template } }: Frozen<MachineSet>): object {
  const { readinessGates, taints, nodeDrainTimeout, nodeVolumeDetachTimeout, nodeDeletionTimeout } =
    template.spec;
  return withoutUndefined({
    readinessGates,
    taints,
    nodeDrainTimeout,
    nodeVolumeDetachTimeout,
    nodeDeletionTimeout,
  });
}

/** The configuration of a Machine that its set applies: the fields of its creation, and those that follow the template. */
export function machineConfiguration(set: Frozen<MachineSet>, fixed: FixedFields): object {
  const { clusterName } = set.spec;
  const { configRef, dataSecretName, ...rest } = fixed;
  return {
    metadata: {
      ...propagatedMetadata(set),
      finalizers: [MACHINE_FINALIZER],
      ownerReferences: [controllerReferenceTo(set)],
    },
    spec: withoutUndefined({
      clusterName,
      ...rest,
      bootstrap: withoutUndefined({ configRef, ...(!configRef && { dataSecretName }) }),
      ...propagatedSpec(set),
    }),
  };
}

/** The fixed fields of an existing Machine. */
export function fixedFieldsOf({ spec }: Frozen<Machine>): FixedFields {
  const { infrastructureRef, bootstrap, version, failureDomain } = spec;
  return withoutUndefined({ infrastructureRef, ...bootstrap, version, failureDomain }) as FixedFields;
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Whether an object has every field of a configuration, and every item of its lists in any order. */
export function includes(object: unknown, configuration: unknown): boolean {
  if (isJsonObject(configuration)) {
    // The server does not store an empty map.
    if (!isJsonObject(object)) return Object.keys(configuration).length === 0;
    return Object.entries(configuration).every(([key, value]) => includes(object[key], value));
  }
  if (Array.isArray(configuration)) {
    if (!Array.isArray(object)) return false;
    return configuration.every((item) => object.some((one) => includes(one, item)));
  }
  return object === configuration;
}

const DEFAULT_NAMING = "{{ .machineSet.name }}-{{ .random }}";

/** A new name for a machine of a set, by its naming strategy. */
export function newMachineName({ metadata, spec }: Frozen<MachineSet>, rng: Rng): string {
  const template = spec.machineNamingStrategy?.template ?? DEFAULT_NAMING;
  return machineNameFrom(
    template,
    { ".cluster.name": spec.clusterName, ".machineSet.name": metadata.name },
    rng,
  );
}
