import type { RemediationRecord } from "@capstan/plan";
import { again, next, type Outcome } from "@capstan/runtime";
import { ensureClones, needsClones, readCloneSources } from "../../machines/clones.ts";
import { createMachine, newMachineNames, resumeCreation } from "../../machines/create.ts";
import { formatRecord, REMEDIATION_FOR_ANNOTATION } from "./remediation-record.ts";
import type { Scope } from "./scope.ts";

/** The plan for a new machine. */
interface PlannedMachine {
  readonly failureDomain: string | undefined;
  /** The remediation that the machine is the replacement for. */
  readonly replacementFor: RemediationRecord | undefined;
}

/** Records the name of a machine, creates the machine, and then its infrastructure and its KubeadmConfig. */
export async function createRecordedMachine(
  scope: Scope,
  { failureDomain, replacementFor }: PlannedMachine,
): Promise<void> {
  const { context, controlPlane, owner } = scope;
  const sources = await readCloneSources(context, owner);
  const [name = ""] = newMachineNames(scope, 1);
  controlPlane.status = { ...controlPlane.status, creatingMachine: name };
  // The decision counts only if the control plane is still as it was when it was made.
  await context.persistStatus({ isStrict: true });
  const annotations = {
    ...(replacementFor && { [REMEDIATION_FOR_ANNOTATION]: formatRecord(replacementFor) }),
  };
  await createMachine(scope, { name, sources, failureDomain, annotations });
}

/**
 * Continues with a machine whose creation was recorded but not completed before a crash. The record is dropped when the
 * cache shows the machine with its clones.
 */
export async function completeCreation(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, owner, machines } = scope;
  const { creatingMachine: name, ...status } = controlPlane.status ?? {};
  const incomplete = machines.filter(needsClones);
  const isUnseen = name !== undefined && !machines.some(({ metadata }) => metadata.name === name);
  if (incomplete.length === 0 && !isUnseen) {
    if (name !== undefined) controlPlane.status = status;
    return next;
  }
  const sources = await readCloneSources(context, owner);
  for (const machine of incomplete) await ensureClones(scope, machine, sources);
  if (!isUnseen) return next;
  await resumeCreation(scope, { name, sources }, { isNeeded: true });
  return again(0, "CreatingMachine");
}
