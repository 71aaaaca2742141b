import { type Frozen, type MachineSet, REVISION_ANNOTATION } from "@capstan/api";

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
