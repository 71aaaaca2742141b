import type { Frozen, Machine, MachineDeployment, MachineSet } from "@capstan/api";
import { uncovered } from "../../../in-place/ask.ts";
import { remediationOf } from "../../../machines/health.ts";
import { type DecisionContext, decisionsAbout, type UpdateSubject } from "../../../in-place/decisions.ts";
import { desiredParts, desiredState } from "../../../in-place/desired.ts";
import type { UpdaterPorts } from "../../../in-place/hooks/updaters.ts";
import type { MachineOwner } from "../../../machines/owner.ts";
import { isOlderThanRollout, rolloutFields } from "../../../machines/rollout-fields.ts";
import { setOwner } from "../../../machines/set-owner.ts";
import type { Scope } from "../scope.ts";
import { comparedSets } from "./compared-sets.ts";

type Decision = NonNullable<NonNullable<Frozen<MachineDeployment>["status"]>["inPlace"]>["decisions"][number];

/** The part of a pass that asks updaters; `capstan plan` has it too, without a controller. */
export interface DecisionScope extends Pick<Scope, "deployment" | "sets" | "machines"> {
  readonly context: DecisionContext;
}

/**
 * Asks for each old set whether updaters can update its machines, and records that in the status: machines of one set have
 * the same difference, so one of them stands for all.
 */
export async function askAboutSets(scope: DecisionScope, ports: UpdaterPorts, target: string): Promise<void> {
  const { context, deployment } = scope;
  const { namespace = "" } = deployment.metadata;
  const nowMs = context.env.clock.now();
  const known = deployment.status?.inPlace?.machineSet === target ? deployment.status.inPlace.decisions : [];
  const decisions = await decisionsAbout(context, ports, {
    namespace,
    desiredKey: rolloutFields(deployment.spec.template.spec),
    subjects: scope.sets.flatMap((set) => {
      const machine = set.metadata.name === target ? undefined : exampleOf(scope, set);
      return machine ? [subjectOf(scope, { set, machine, known, nowMs, target })] : [];
    }),
  });
  record(scope, target, decisions);
}

interface Example {
  readonly set: Frozen<MachineSet>;
  /** The machine that stands for all machines of the set. */
  readonly machine: Frozen<Machine>;
  readonly known: readonly Decision[];
  readonly nowMs: number;
  /** The name of the set with the template. */
  readonly target: string;
}

function subjectOf(
  { context, deployment }: DecisionScope,
  { set, machine, known, nowMs, target }: Example,
): UpdateSubject<Decision> {
  const { name } = set.metadata;
  const owner = withTemplateOf(deployment, set);
  const parts = () => desiredParts(context, owner, machine);
  return {
    before: known.find(({ machineSet }) => machineSet === name),
    settled: isOlderThanRollout(deployment, set, nowMs)
      ? uncovered(
          ["spec.rollout.after"],
          `only new machines are newer than spec.rollout.after, ${deployment.spec.rollout?.after}; no updater makes them new`,
        )
      : undefined,
    desired: async () => {
      const state = await desiredState(context, { owner, machine, parts });
      const sets =
        state.state === "possible" ? await comparedSets(context, { set, owner, target }) : undefined;
      return sets ? { ...state, sets } : state;
    },
    record: (decision) => ({ machineSet: name, ...decision }),
  };
}

/** A set with the template of its deployment: its machines keep its labels until they move to another set. */
function withTemplateOf({ spec }: Frozen<MachineDeployment>, set: Frozen<MachineSet>): MachineOwner {
  const template = { ...set.spec.template, spec: spec.template.spec };
  return setOwner({ ...set, spec: { ...set.spec, template } });
}

function record({ deployment }: DecisionScope, target: string, decisions: readonly Decision[]): void {
  const { inPlace: _, ...status } = deployment.status ?? {};
  const inPlace = { machineSet: target, decisions: structuredClone(decisions) as never };
  deployment.status = decisions.length > 0 ? { ...status, inPlace } : status;
}

/** A machine of a set that had a Node: the others are replaced, even where updaters cover the change. */
function exampleOf(
  { machines }: DecisionScope,
  { metadata }: Frozen<MachineSet>,
): Frozen<Machine> | undefined {
  const own = (machines.get(metadata.uid ?? "") ?? []).filter(
    (machine) => machine.metadata.deletionTimestamp === undefined,
  );
  return own.find((machine) => machine.status?.nodeRef && !remediationOf(machine));
}
