import {
  type Frozen,
  HANDS_OVER_MACHINES_ANNOTATION,
  type KubernetesObject,
  type Machine,
  type MachineSet,
  RECEIVES_MACHINES_ANNOTATION,
} from "@capstan/api";

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

/** The names of machines that a set counts before they arrive. */
export function expectedMachines(set: Frozen<MachineSet>): readonly string[] {
  return namesIn(set, RECEIVES_MACHINES_ANNOTATION);
}
