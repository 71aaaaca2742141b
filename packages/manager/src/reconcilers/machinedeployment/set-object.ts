import {
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  DEPLOYMENT_NAME_LABEL,
  DESIRED_REPLICAS_ANNOTATION,
  DISABLE_MACHINE_CREATE_ANNOTATION,
  type Frozen,
  HANDS_OVER_MACHINES_ANNOTATION,
  type MachineDeployment,
  type MachineSet,
  MAX_REPLICAS_ANNOTATION,
  type ObjectMeta,
  RECEIVES_MACHINES_ANNOTATION,
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  REVISION_HISTORY_LIMIT_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
  TEMPLATE_HASH_LABEL,
} from "@capstan/api";
import { createRng, nameSuffix } from "@capstan/env";
import { type MoveRecords, type UpdateRecords, updateRecordsText } from "@capstan/plan";
import type { Pointer } from "../../contract/reference.ts";
import { passedRolloutMs, rolloutFields } from "../../machines/rollout-fields.ts";
import { limitsOf } from "./limits.ts";

/** A MachineSet to create or to keep current. */
export interface SetRequest {
  readonly name: string;
  readonly replicas: number;
  readonly revision: number;
  /** The set as it is; undefined for a new one. */
  readonly existing: Frozen<MachineSet> | undefined;
  /** Whether the set has the template of the deployment. */
  readonly isTarget: boolean;
  /** The moves of machines to record. */
  readonly records: MoveRecords;
  /** The updates in place of its machines to record. */
  readonly updates: UpdateRecords;
}

/** The configuration of a MachineSet that its deployment applies. */
interface SetConfiguration {
  readonly metadata: Required<Pick<Frozen<ObjectMeta>, "labels" | "annotations" | "ownerReferences">>;
  readonly spec: object;
}

export function setConfiguration(
  deployment: Frozen<MachineDeployment>,
  request: SetRequest,
): SetConfiguration {
  const { metadata, spec } = deployment;
  const { existing, replicas } = request;
  const hash = hashOf(request);
  const labels = {
    ...spec.template.metadata?.labels,
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    [DEPLOYMENT_NAME_LABEL]: metadata.name,
    [TEMPLATE_HASH_LABEL]: hash,
  };
  const selector = existing?.spec.selector ?? {
    ...spec.selector,
    matchLabels: { ...spec.selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash },
  };
  return {
    metadata: {
      labels,
      annotations: annotationsOf(deployment, request),
      ownerReferences: [controllerReferenceTo(deployment)],
    },
    spec: {
      clusterName: spec.clusterName,
      replicas,
      selector,
      ...scalingFields(deployment),
      template: {
        metadata: { labels, annotations: { ...spec.template.metadata?.annotations } },
        spec: templateSpec(deployment, existing),
      },
    },
  };
}

/** The references to the templates of a deployment. */
export function templatesOf({ metadata, spec }: Frozen<MachineDeployment>): readonly Pointer[] {
  const { namespace = "" } = metadata;
  const { infrastructureRef, bootstrap } = spec.template.spec;
  const references = { infrastructureRef, "bootstrap.configRef": bootstrap.configRef };
  return Object.entries(references).flatMap(([name, reference]) =>
    reference ? [{ reference, field: `spec.template.spec.${name}`, namespace }] : [],
  );
}

/** The label that tells the machines of a set from those of the other sets. */
function hashOf({ existing, name }: SetRequest): string {
  return existing?.metadata.labels?.[TEMPLATE_HASH_LABEL] ?? name.slice(name.lastIndexOf("-") + 1);
}

/** The fields of a set that follow the deployment without a new machine. */
function scalingFields({ spec }: Frozen<MachineDeployment>): object {
  const { deletion, machineNaming } = spec;
  return { ...(deletion && { deletion }), ...(machineNaming && { machineNaming }) };
}

/** An old set keeps the fields that would need new machines, and gets all others. */
function templateSpec({ spec }: Frozen<MachineDeployment>, existing: Frozen<MachineSet> | undefined): object {
  if (!existing) return spec.template.spec;
  const { version, failureDomain, bootstrap, infrastructureRef } = existing.spec.template.spec;
  const { version: _, failureDomain: __, ...rest } = spec.template.spec;
  return {
    ...rest,
    bootstrap,
    infrastructureRef,
    ...(version !== undefined && { version }),
    ...(failureDomain !== undefined && { failureDomain }),
  };
}

const NOT_PROPAGATED: readonly string[] = [
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  DESIRED_REPLICAS_ANNOTATION,
  MAX_REPLICAS_ANNOTATION,
  REVISION_HISTORY_LIMIT_ANNOTATION,
  "cluster.x-k8s.io/conversion-data",
  // Only the plan of the deployment records moves and updates.
  RECEIVES_MACHINES_ANNOTATION,
  HANDS_OVER_MACHINES_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
];

function annotationsOf(
  deployment: Frozen<MachineDeployment>,
  { revision, isTarget, records, updates }: SetRequest,
): Readonly<Record<string, string>> {
  const { metadata, spec } = deployment;
  const replicas = spec.replicas ?? 1;
  const { maxSurge } = limitsOf(deployment, replicas);
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => !NOT_PROPAGATED.includes(name));
  const isDisabled = spec.rollout?.strategy?.type === "OnDelete" && !isTarget;
  const started = updateRecordsText(updates);
  return {
    ...Object.fromEntries(own),
    [REVISION_ANNOTATION]: String(revision),
    [DESIRED_REPLICAS_ANNOTATION]: String(replicas),
    [MAX_REPLICAS_ANNOTATION]: String(replicas + maxSurge),
    [DISABLE_MACHINE_CREATE_ANNOTATION]: String(isDisabled),
    ...(records.receives.length > 0 && { [RECEIVES_MACHINES_ANNOTATION]: records.receives.join(",") }),
    ...(records.handsOver.length > 0 && { [HANDS_OVER_MACHINES_ANNOTATION]: records.handsOver.join(",") }),
    ...(records.hasSpare && { [SPARE_MACHINE_ANNOTATION]: "" }),
    ...(started !== undefined && { [STARTED_UPDATES_ANNOTATION]: started }),
  };
}

// The name of a set becomes part of the names of machines and a label value.
const LONGEST_PREFIX = 57;

/**
 * The name of the set for a template. It depends on the template alone, so a controller that does not see the set that it
 * has created tries to create the same one again, which does nothing. A name in use is followed by the next one.
 */
export function newSetName(
  deployment: Frozen<MachineDeployment>,
  nowMs: number,
  isTaken: (name: string) => boolean,
): string {
  const { metadata, spec } = deployment;
  const seed = JSON.stringify([rolloutFields(spec.template.spec), passedRolloutMs(deployment, nowMs) ?? 0]);
  for (let attempt = 0; ; attempt++) {
    const rng = createRng(`${metadata.uid} ${seed}`, `machine-set ${attempt}`);
    const name = `${metadata.name.slice(0, LONGEST_PREFIX)}-${nameSuffix(rng)}`;
    if (!isTaken(name)) return name;
  }
}

/** The revision of a set; 0 without one. */
export function revisionOf({ metadata }: Frozen<MachineSet>): number {
  const text = metadata.annotations?.[REVISION_ANNOTATION] ?? "";
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

/** The revision that the set with the template has: the highest of all, and never a lower one than before. */
export function targetRevision(
  target: Frozen<MachineSet> | undefined,
  sets: readonly Frozen<MachineSet>[],
): number {
  const others = sets.filter(({ metadata }) => metadata.uid !== target?.metadata.uid).map(revisionOf);
  const next = Math.max(0, ...others) + 1;
  return target ? Math.max(revisionOf(target), next) : next;
}
