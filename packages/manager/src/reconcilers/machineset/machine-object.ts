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
} from "@capstan/api";
import type { Rng } from "@capstan/env";
import { MACHINE_FINALIZER } from "../machine/conditions.ts";
import { machineNameFrom } from "../machine-name.ts";

/** The field manager of MachineSets in Cluster API: after a take-over, the fields keep their owner. */
export const SET_FIELD_MANAGER = "capi-machineset";

/** The metadata that a MachineSet propagates to its machines and their clones. */
export interface PropagatedMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function propagatedMetadata({ metadata, spec }: Frozen<MachineSet>): PropagatedMetadata {
  const { labels, annotations } = spec.template.metadata ?? {};
  const deployment = metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  return {
    labels: {
      ...labels,
      [CLUSTER_NAME_LABEL]: spec.clusterName,
      [SET_NAME_LABEL]: labelValueFor(metadata.name),
      ...(deployment !== undefined && { [DEPLOYMENT_NAME_LABEL]: deployment }),
    },
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

/** The fields of existing machines that follow the template. */
export function propagatedFields(set: Frozen<MachineSet>): object {
  return { ...propagatedMetadata(set), ...propagatedSpec(set) };
}

function propagatedSpec({ spec: { template } }: Frozen<MachineSet>): object {
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
