import { type Frozen, KubeadmControlPlane, type Machine } from "@capstan/api";
import { type RecordedDecision, verdictLine, verdictLines } from "../plan/read/in-place-verdict.ts";
import { updatePace, updateTimeLine } from "../plan/times/update-pace.ts";
import type { Owner } from "./owner-progress.ts";

type Recorded = RecordedDecision & { readonly machine?: string; readonly machineSet?: string };

/** Who updates which machines of an owner in place, which fields, after a drain or not, and how long the rest takes. */
export function inPlaceLines(owner: Owner, machines: readonly Frozen<Machine>[]): readonly string[] {
  // What blocks a rollout is in its conditions.
  const covered = coveredBy(owner);
  if (covered.length === 0) return [];
  const { replicas = 0, upToDateReplicas = 0 } = owner.status ?? {};
  const left = Math.max(replicas - upToDateReplicas, 0);
  return [...covered, ...(left > 0 ? [updateTimeLine(updatePace(machines), left)] : [])];
}

function coveredBy({ kind, spec, status }: Owner): readonly string[] {
  const hasFallback = spec.rollout?.strategy?.fallbackRollingUpdate !== undefined;
  const decisions: readonly Recorded[] = status?.inPlace?.decisions ?? [];
  const covered = decisions.filter(({ result }) => result === "Covered");
  if (kind === KubeadmControlPlane.kind)
    return verdictLines(
      covered.map((one) => ({ ...one, machine: one.machine ?? "" })),
      { hasFallback },
    );
  return covered.map((one) => verdictLine(`MachineSet ${one.machineSet}`, one, { hasFallback }));
}
