import { shortHash } from "@capstan/runtime";
import type { Frozen, Machine, MachineDeployment, MachineSet } from "@capstan/api";
import { decideUpdate, isCurrent, updatersKey } from "../../../in-place/ask.ts";
import type { DesiredState } from "../../../in-place/compare.ts";
import type { Updater } from "../../../in-place/hooks/registry.ts";
import { registeredUpdaters, type UpdaterPorts } from "../../../in-place/hooks/updaters.ts";
import type { DecisionScope } from "./decision-scope.ts";
import { isUpToDate, rolloutFields } from "../../../machines/rollout-fields.ts";
import { desiredState } from "./desired.ts";

type Decision = NonNullable<NonNullable<Frozen<MachineDeployment>["status"]>["inPlace"]>["decisions"][number];

/**
 * Decides for each old set whether updaters can update its machines, and records that in the status: machines of one set have
 * the same difference, so one of them stands for all. A decision is made once for each template and list of updaters.
 */
export async function decideInPlace(
  scope: DecisionScope,
  ports: UpdaterPorts,
  target: string,
): Promise<void> {
  const { context, deployment } = scope;
  const { namespace = "" } = deployment.metadata;
  const nowMs = context.env.clock.now();
  const updaters = await registeredUpdaters(context.cache, ports, namespace);
  const key = keyOf(scope, updaters);
  const known = deployment.status?.inPlace?.machineSet === target ? deployment.status.inPlace.decisions : [];
  const decisions: Decision[] = [];
  for (const { set, machine } of examplesOf(scope, nowMs)) {
    const { name } = set.metadata;
    const before = known.find(({ machineSet }) => machineSet === name);
    const desired = (): Promise<DesiredState> => desiredState(scope, { machine, set });
    decisions.push(
      before && isCurrent(before, key, nowMs)
        ? before
        : { machineSet: name, key, ...(await decideUpdate(ports, { desired, updaters, nowMs })) },
    );
  }
  record(scope, target, decisions);
}

interface Example {
  readonly set: Frozen<MachineSet>;
  readonly machine: Frozen<Machine>;
}

/** The old sets that have machines, each with one that stands for all. */
function examplesOf(scope: DecisionScope, nowMs: number): readonly Example[] {
  return scope.sets.flatMap((set) => {
    const machine = isUpToDate(scope.deployment, set, nowMs) ? undefined : exampleOf(scope, set);
    return machine ? [{ set, machine }] : [];
  });
}

function record({ deployment }: DecisionScope, target: string, decisions: readonly Decision[]): void {
  const { inPlace: _, ...status } = deployment.status ?? {};
  const inPlace = { machineSet: target, decisions: structuredClone(decisions) as never };
  deployment.status = decisions.length > 0 ? { ...status, inPlace } : status;
}

/** The oldest machine of a set that is not being deleted. */
function exampleOf(
  { machines }: DecisionScope,
  { metadata }: Frozen<MachineSet>,
): Frozen<Machine> | undefined {
  const own = (machines.get(metadata.uid ?? "") ?? []).filter(
    (machine) => machine.metadata.deletionTimestamp === undefined,
  );
  return own.find(({ status }) => status?.nodeRef) ?? own[0];
}

/** What a decision rests on, apart from the machines themselves. */
function keyOf({ deployment }: DecisionScope, updaters: readonly Updater[]): string {
  const facts = [rolloutFields(deployment.spec.template.spec), updatersKey(updaters)];
  return shortHash(JSON.stringify(facts));
}
