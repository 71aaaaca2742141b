import {
  type Frozen,
  controllerOf,
  DELETE_MACHINE_ANNOTATION,
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
  type MarkCause,
  type SetUpdateVerdict,
  type SetView,
  targetOf,
} from "@capstan/plan";

import type { UpdateDecision } from "../../../in-place/ask.ts";
import { verdictOf } from "../../../in-place/decisions.ts";
import { approvalOf, isInPlace } from "../../../in-place/strategy.ts";
import { isUnhealthy, remediationOf } from "../../../machines/health.ts";

/** The inputs of the view of updates in place. */
export interface InPlaceInput {
  readonly deployment: Frozen<MachineDeployment>;
  readonly sets: readonly Frozen<MachineSet>[];
  readonly machines?: readonly Frozen<Machine>[];
  readonly replicas: number;
  readonly setViews: readonly SetView[];
  readonly targetName: string;
  readonly preflight?: readonly string[] | undefined;
}

/** The facts about updates in place; undefined if the deployment has nothing to do with them. */
export function inPlaceView(input: InPlaceInput): DeploymentUpdateView | undefined {
  const { deployment, machines = [], setViews } = input;
  const isChosen = isInPlace(deployment.spec.rollout?.strategy);
  const isRecorded = setViews.some(({ receives, handsOver }) => receives.length + handsOver.length > 0);
  if (!isChosen && !isRecorded) return undefined;
  const target = targetNameOf(input);
  const views = machines.flatMap((machine) => machineView(machine, input.sets, target));
  return {
    isChosen,
    machines: views,
    verdicts: isChosen ? verdictsOf(input, views) : new Map(),
    preflight: input.preflight ?? [],
    ...fallbackOf(input),
    ...approvalOf(deployment.metadata, UPDATE_APPROVED_ANNOTATION),
  };
}

function machineView(
  machine: Frozen<Machine>,
  sets: readonly Frozen<MachineSet>[],
  target: string,
): readonly InPlaceMachine[] {
  const controller = controllerOf(machine);
  const set = sets.find(({ metadata }) => metadata.uid === controller?.uid);
  if (!set) return [];
  const { name, creationTimestamp = "", annotations = {} } = machine.metadata;
  const isCondemned = set.metadata.name !== target && hasMark(machine);
  const state = stateOf(machine, isCondemned);
  return [
    {
      name,
      set: set.metadata.name,
      createdMs: Date.parse(creationTimestamp),
      state,
      // A machine that was chosen to be replaced counts no more, although it may have got its Node meanwhile.
      isAvailable: isAvailableMachine(machine) && !isCondemned,
      isFirstToGo: isUnhealthy(machine) || isUpdatingInPlace(machine),
      isMarked: DELETE_MACHINE_ANNOTATION in annotations,
    },
  ];
}

/** Whether an earlier plan has chosen a machine to be replaced. */
function hasMark({ metadata }: Frozen<Machine>): boolean {
  const cause = metadata.annotations?.[DELETE_MACHINE_ANNOTATION];
  return cause === NEVER_READY || cause === UNHEALTHY;
}

const NEVER_READY: MarkCause = "NeverReady";
const UNHEALTHY: MarkCause = "Unhealthy";

function stateOf(machine: Frozen<Machine>, isCondemned: boolean): InPlaceMachine["state"] {
  if (machine.metadata.deletionTimestamp !== undefined) return "deleting";
  if (remediationOf(machine) || isCondemned) return "unhealthy";
  if (hasUpdateFailed(machine)) return "failed";
  if (isUpdatingInPlace(machine)) return "updating";
  return machine.status?.nodeRef ? "ready" : "starting";
}

/** What the updaters said about each set but the target that has machines which had a Node. */
function verdictsOf(
  input: InPlaceInput,
  machines: readonly InPlaceMachine[],
): ReadonlyMap<string, SetUpdateVerdict> {
  const { deployment, setViews } = input;
  const target = targetNameOf(input);
  const { inPlace } = deployment.status ?? {};
  const decisions = inPlace?.machineSet === target ? inPlace.decisions : [];
  const occupied = new Set(
    machines.filter(({ state }) => UPDATED_STATES.includes(state)).map(({ set }) => set),
  );
  return new Map(
    setViews
      .filter(({ name }) => name !== target && occupied.has(name))
      .map(({ name }) => [name, verdictOn(decisions.find(({ machineSet }) => machineSet === name))]),
  );
}

/** The set with the template, which may not exist yet. */
function targetNameOf({ setViews, targetName }: InPlaceInput): string {
  return targetOf({ sets: setViews })?.name ?? targetName;
}

const UPDATED_STATES: readonly InPlaceMachine["state"][] = ["ready", "updating", "failed"];

function fallbackOf({ deployment, replicas }: InPlaceInput): Pick<DeploymentUpdateView, "fallback"> {
  const { fallbackRollingUpdate } = deployment.spec.rollout?.strategy ?? {};
  if (!fallbackRollingUpdate) return {};
  const { maxSurge = 1, maxUnavailable = 0 } = fallbackRollingUpdate;
  return { fallback: resolveRolloutBudget({ maxSurge, maxUnavailable }, replicas) };
}

function verdictOn(decision: UpdateDecision | undefined): SetUpdateVerdict {
  return decision ? verdictOf(decision) : { result: "Unknown", why: "the updaters have not been asked yet" };
}
