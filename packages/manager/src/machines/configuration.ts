import {
  type ContractReference,
  controllerReferenceTo,
  type Frozen,
  Machine,
  type ObjectMeta,
} from "@capstan/api";
import { nameSuffix, type Rng } from "@capstan/env";
import { MACHINE_FINALIZER } from "./conditions.ts";
import type { MachineOwner, OwnerScope, PropagatedMetadata, Texts } from "./owner.ts";

/** The fields of a Machine that are set when it is created, and never again. */
export interface FixedFields {
  readonly infrastructureRef: Frozen<ContractReference>;
  readonly configRef?: Frozen<ContractReference> | undefined;
  readonly dataSecretName?: string | undefined;
  readonly version?: string | undefined;
  readonly failureDomain?: string | undefined;
}

/** The configuration of a Machine that its owner applies. */
interface MachineConfiguration {
  readonly metadata: Pick<Frozen<ObjectMeta>, "labels" | "annotations" | "finalizers" | "ownerReferences">;
  readonly spec: object;
}

/** The fields of the creation of a Machine, and those that follow the template. */
export function machineConfiguration(
  owner: MachineOwner,
  { configRef, dataSecretName, ...fixed }: FixedFields,
  ownAnnotations: Texts,
): MachineConfiguration {
  const { labels, annotations } = propagatedMetadata(owner);
  return {
    metadata: {
      labels,
      annotations: { ...annotations, ...ownAnnotations },
      finalizers: [MACHINE_FINALIZER],
      ownerReferences: [controllerReferenceTo(owner.object)],
    },
    spec: withoutUndefined({
      clusterName: owner.clusterName,
      ...fixed,
      bootstrap: withoutUndefined({ configRef, ...(!configRef && { dataSecretName }) }),
      ...followedFields(owner),
    }),
  };
}

/** The labels and annotations of Machines: those of the template, and the labels that say whose they are. */
export function propagatedMetadata({
  metadata,
  membership,
}: Pick<MachineOwner, "metadata" | "membership">): PropagatedMetadata {
  return { ...metadata, labels: { ...metadata.labels, ...membership } };
}

/** The labels and annotations of a template, without labels that the owner sets itself. */
export function templateMetadata(
  template: Frozen<Pick<ObjectMeta, "labels" | "annotations">> | undefined,
  membership: Texts,
): PropagatedMetadata {
  const { labels = {}, annotations } = template ?? {};
  return {
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => membership[name] === undefined)),
    annotations: { ...annotations },
  };
}

/** The fields of the spec of existing machines that follow the template. */
export function followedFields({ followed }: Pick<MachineOwner, "followed">): object {
  const { readinessGates, taints, deletion, minReadySeconds } = followed;
  return withoutUndefined({ readinessGates, taints, deletion, minReadySeconds });
}

/** The fixed fields of an existing Machine. */
export function fixedFieldsOf({ spec }: Frozen<Machine>): FixedFields {
  const { infrastructureRef, bootstrap, version, failureDomain } = spec;
  const { configRef, dataSecretName } = bootstrap;
  return { infrastructureRef, configRef, dataSecretName, version, failureDomain };
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Applies the configuration of a Machine; creates it if it does not exist. */
export function applyMachine(
  { context, owner }: Pick<OwnerScope, "context" | "owner">,
  name: string,
  body: object,
): Promise<Frozen<Machine>> {
  const { namespace } = owner.object.metadata;
  const patch = { type: "apply", body, fieldManager: owner.fieldManager, force: true } as const;
  return context.client.patch(Machine, { name, namespace }, patch);
}

// The name of a machine becomes a hostname and a label value.
const LONGEST_NAME = 63;
const SUFFIX_LENGTH = 5;

/** A new name for a machine, by the naming strategy of its owner. */
export function newMachineName({ template, values }: MachineOwner["naming"], rng: Rng): string {
  let filled = template;
  for (const [expression, value] of Object.entries(values))
    filled = filled.replaceAll(`{{ ${expression} }}`, value);
  const [before = "", ...after] = filled.split("{{ .random }}");
  const random = nameSuffix(rng, SUFFIX_LENGTH);
  const rest = after.join(random);
  return `${before.slice(0, LONGEST_NAME - SUFFIX_LENGTH - rest.length)}${random}${rest}`;
}
