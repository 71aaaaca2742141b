import {
  type Frozen,
  HANDS_OVER_MACHINES_ANNOTATION,
  type KubernetesObject,
  type Machine,
  type MachineSet,
  RECEIVES_MACHINES_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
} from "@capstan/api";
import type { MoveRecords } from "@capstan/plan";

/** The field manager of MachineDeployments in Cluster API: after a take-over, the fields keep their owner. */
export const DEPLOYMENT_FIELD_MANAGER = "capi-machinedeployment";

/** The names in an annotation with recorded moves, sorted. */
export function namesIn({ metadata }: Frozen<KubernetesObject>, annotation: string): readonly string[] {
  const text = metadata.annotations?.[annotation] ?? "";
  return text
    .split(",")
    .filter((name) => name !== "")
    .toSorted();
}

/** The machines that a set counts: those that it hands over belong to the receiving set already. */
export function countedMachines(
  set: Frozen<MachineSet>,
  machines: readonly Frozen<Machine>[],
): readonly Frozen<Machine>[] {
  const leaving = new Set(namesIn(set, HANDS_OVER_MACHINES_ANNOTATION));
  if (leaving.size === 0) return machines;
  return machines.filter(
    ({ metadata }) => !leaving.has(metadata.name) || metadata.deletionTimestamp !== undefined,
  );
}

/** What a MachineDeployment has recorded in a set about its machines. */
export function recordsOf(set: Frozen<MachineSet>): MoveRecords {
  return {
    receives: namesIn(set, RECEIVES_MACHINES_ANNOTATION),
    handsOver: namesIn(set, HANDS_OVER_MACHINES_ANNOTATION),
    hasSpare: set.metadata.annotations?.[SPARE_MACHINE_ANNOTATION] !== undefined,
  };
}

const RECORDS: readonly string[] = [RECEIVES_MACHINES_ANNOTATION, HANDS_OVER_MACHINES_ANNOTATION];

/** The records of moves that an object has. */
export function recordsIn({ metadata }: Frozen<KubernetesObject>): readonly string[] {
  return RECORDS.filter((annotation) => metadata.annotations?.[annotation] !== undefined);
}

/** The records that another field manager than that of MachineDeployments wrote; read from the server, because the cache does not have managers. */
export function forgedRecords(live: Frozen<KubernetesObject>): readonly string[] {
  const entries = (live.metadata.managedFields ?? []) as readonly ManagedFields[];
  const isOwned = (annotation: string): boolean =>
    entries.some(
      ({ manager, operation, fieldsV1 }) =>
        manager === DEPLOYMENT_FIELD_MANAGER &&
        operation === "Apply" &&
        fieldsV1?.["f:metadata"]?.["f:annotations"]?.[`f:${annotation}`] !== undefined,
    );
  return recordsIn(live).filter((annotation) => !isOwned(annotation));
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: {
    readonly "f:metadata"?: { readonly "f:annotations"?: Readonly<Record<string, unknown>> };
  };
}

/** The names of machines that a set counts before they arrive. */
export function expectedMachines(set: Frozen<MachineSet>): readonly string[] {
  return namesIn(set, RECEIVES_MACHINES_ANNOTATION);
}
