import {
  type Frozen,
  controllerOf,
  hasUpdateFailed,
  isUpdatingInPlace,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  resolveRolloutBudget,
  UPDATE_APPROVED_ANNOTATION,
} from "@capstan/api";
import {
  type DeploymentUpdateView,
  type InPlaceMachine,
  isAvailableMachine,
  type SetUpdateVerdict,
  type SetView,
  targetOf,
} from "@capstan/plan";

import type { UpdateDecision } from "../../../in-place/ask.ts";
import { verdictOf } from "../../../in-place/decisions.ts";
import { approvalOf, isInPlace } from "../../../in-place/strategy.ts";
import { remediationOf } from "../../../machines/health.ts";

/** The inputs of the view of updates in place. */
export interface InPlaceInput {
  readonly deployment: Frozen<MachineDeployment>;
  readonly sets: readonly Frozen<MachineSet>[];
  readonly machines?: readonly Frozen<Machine>[];
  readonly replicas: number;
  readonly setViews: readonly SetView[];
  readonly targetName: string;
}

/** The facts about updates in place; undefined if the deployment has nothing to do with them. */
export function inPlaceView(input: InPlaceInput): DeploymentUpdateView | undefined {
  const { deployment, machines = [], setViews } = input;
  const isChosen = isInPlace(deployment.spec.rollout?.strategy);
  const isRecorded = setViews.some(({ receives, handsOver }) => receives.length + handsOver.length > 0);
  if (!isChosen && !isRecorded) return undefined;
  const views = machines.flatMap((machine) => machineView(machine, input.sets));
  return {
    isChosen,
    machines: views,
    verdicts: isChosen ? verdictsOf(input, views) : new Map(),
    ...fallbackOf(input),
    ...approvalOf(deployment.metadata, UPDATE_APPROVED_ANNOTATION),
  };
}

function machineView(
  machine: Frozen<Machine>,
  sets: readonly Frozen<MachineSet>[],
): readonly InPlaceMachine[] {
  const controller = controllerOf(machine);
  const set = sets.find(({ metadata }) => metadata.uid === controller?.uid);
  if (!set) return [];
  const { name } = machine.metadata;
  return [
    { name, set: set.metadata.name, state: stateOf(machine), isAvailable: isAvailableMachine(machine) },
  ];
}

function stateOf(machine: Frozen<Machine>): InPlaceMachine["state"] {
  if (machine.metadata.deletionTimestamp !== undefined) return "deleting";
  // Its set replaces a machine that a health check has marked.
  if (remediationOf(machine)) return "starting";
  if (hasUpdateFailed(machine)) return "failed";
  if (isUpdatingInPlace(machine)) return "updating";
  return machine.status?.nodeRef ? "ready" : "starting";
}

/** What the updaters said about each old set that has machines. */
function verdictsOf(
  { deployment, setViews, targetName }: InPlaceInput,
  machines: readonly InPlaceMachine[],
): ReadonlyMap<string, SetUpdateVerdict> {
  const target = targetOf({ sets: setViews })?.name ?? targetName;
  const { inPlace } = deployment.status ?? {};
  const decisions = inPlace?.machineSet === target ? inPlace.decisions : [];
  const occupied = new Set(machines.filter(({ state }) => state !== "deleting").map(({ set }) => set));
  return new Map(
    setViews
      .filter(({ name, isUpToDate }) => !isUpToDate && occupied.has(name))
      .map(({ name }) => [name, verdictOn(decisions.find(({ machineSet }) => machineSet === name))]),
  );
}

function fallbackOf({ deployment, replicas }: InPlaceInput): Pick<DeploymentUpdateView, "fallback"> {
  const { fallbackRollingUpdate } = deployment.spec.rollout?.strategy ?? {};
  if (!fallbackRollingUpdate) return {};
  const { maxSurge = 1, maxUnavailable = 0 } = fallbackRollingUpdate;
  return { fallback: resolveRolloutBudget({ maxSurge, maxUnavailable }, replicas) };
}

function verdictOn(decision: UpdateDecision | undefined): SetUpdateVerdict {
  return decision ? verdictOf(decision) : { result: "Unknown", why: "the updaters have not been asked yet" };
}
