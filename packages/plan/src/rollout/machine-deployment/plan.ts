import { counted } from "../shared/action.ts";
import { type DeploymentAction, type DeploymentBlocked, headingOf } from "./action.ts";
import { settleHandOver } from "./hand-over.ts";
import { planInPlace } from "./in-place/plan.ts";
import { breakDeadlock, scaleDownOld, scaleDownOnDelete } from "./scale-down.ts";
import { growTarget } from "./surge.ts";
import { byAge, type DeploymentView, type DeploymentUpdateView, type SetView, targetOf } from "./view.ts";
import { planWaits } from "./waits.ts";

/** The next actions of a MachineDeployment, and the blocks that prevent more. */
export interface DeploymentPlan {
  readonly actions: readonly DeploymentAction[];
  readonly blocked: readonly DeploymentBlocked[];
  /** The MachineSet with the template, by name; it may be one that an action creates. */
  readonly target: string | undefined;
  /** The moves of machines that each set records; absent if no set has or gets any. */
  readonly records?: ReadonlyMap<string, MoveRecords>;
}

/** The names of machines that a set is about to receive and to hand over, and whether it has a spare machine. */
export interface MoveRecords extends Pick<SetView, "receives" | "handsOver"> {
  readonly hasSpare: boolean;
}

/** A change of the replicas of a MachineSet. */
export interface Intent {
  readonly replicas: number;
  readonly why: string;
}

/** The intents of a pass by the name of the set; a set without one keeps its replicas. */
type Intents = ReadonlyMap<string, Intent>;

/** Decides how a MachineDeployment creates, scales and deletes its MachineSets. */
export function planDeployment(view: DeploymentView): DeploymentPlan {
  if (view.hold) return planHeld(view, view.hold, targetOf(view));
  return view.inPlace ? planWithMoves(view, view.inPlace) : planReplacement(view);
}

/** Replaces the machines of old sets by machines of the set with the template. */
function planReplacement(view: DeploymentView): DeploymentPlan {
  const found = targetOf(view);
  const target = found ?? emptySet(view);
  const old = view.sets.filter(({ name, isDeleting }) => name !== target.name && !isDeleting).toSorted(byAge);
  const grown = growTarget(view, target, old);
  const shrunk =
    view.strategy === "OnDelete"
      ? scaleDownOnDelete(view, { target: withIntent(target, grown), old })
      : scaleDownOld(view, { target: withIntent(target, grown), old });
  const intents: Intents = new Map([...(grown ? [[target.name, grown] as const] : []), ...shrunk]);
  const broken = intents.size === 0 ? breakDeadlock(view, { target, old }) : new Map<string, Intent>();
  const changes = [...scalings(view, found, new Map([...intents, ...broken])), ...cleanUp(view, target, old)];
  const creation = found ? [] : [creationOf(view, grown)];
  const actions = [...creation, ...changes];
  const waiting = planWaits(view, { target, old, isActing: actions.length > 0 });
  return { actions: [...actions, ...waiting.actions], blocked: waiting.blocked, target: target.name };
}

/** Updates machines in place where updaters make all changes. Then the others are replaced, if that is allowed. */
function planWithMoves(view: DeploymentView, inPlace: DeploymentUpdateView): DeploymentPlan {
  const { isChosen, fallback, verdicts } = inPlace;
  if (!isChosen) return planWithoutMoves(view, inPlace, planReplacement);
  const isUncovered =
    verdicts.size > 0 && [...verdicts.values()].every(({ result }) => result === "Uncovered");
  return fallback && isUncovered
    ? planWithoutMoves({ ...view, ...fallback }, inPlace, planReplacement)
    : planMoves(view, inPlace);
}

/** Takes recorded moves back, then plans as if there were none. */
function planWithoutMoves(
  view: DeploymentView,
  { machines }: DeploymentUpdateView,
  plan: (view: DeploymentView) => DeploymentPlan,
): DeploymentPlan {
  const { sets } = settleHandOver({ sets: view.sets, machines, target: undefined });
  const planned = plan({ ...view, sets });
  const rescaled = sets.flatMap((set, at): DeploymentAction[] => {
    const from = view.sets[at]?.replicas ?? set.replicas;
    const isPlanned = planned.actions.some(
      ({ action, targets }) => action === "ScaleMachineSet" && targets[0] === set.name,
    );
    if (isPlanned || from === set.replicas) return [];
    const why = "a recorded move of a machine was taken back";
    const detail = { from, to: set.replicas };
    return [{ ...headingOf(view), action: "ScaleMachineSet", targets: [set.name], detail, why }];
  });
  return {
    ...planned,
    actions: [...rescaled, ...planned.actions],
    records: recordsOf(sets.map(withoutSpare)),
  };
}

function planMoves(view: DeploymentView, inPlace: DeploymentUpdateView): DeploymentPlan {
  const found = targetOf(view);
  const target = found ?? emptySet(view);
  const all = found ? view : { ...view, sets: [...view.sets, target] };
  const steps = planInPlace(all, inPlace, target);
  const intents: Intents = new Map(
    steps.sets.map(({ name, replicas }) => [name, { replicas, why: steps.whys.get(name) ?? "" }]),
  );
  const old = steps.sets
    .filter(({ name, isDeleting }) => name !== target.name && !isDeleting)
    .toSorted(byAge);
  const now = steps.sets.find(({ name }) => name === target.name) ?? target;
  const creation = !found && steps.needsTarget ? [creationOf(view, intents.get(target.name))] : [];
  const actions = [
    ...steps.marks,
    ...creation,
    ...scalings(view, target, intents),
    ...steps.moves,
    ...cleanUp(view, now, old),
  ];
  const isActing = actions.length + steps.waits.length > 0;
  const waiting = planWaits(view, { target: now, old, isActing });
  return {
    actions: [...actions, ...steps.waits, ...waiting.actions],
    blocked: [...steps.blocked, ...waiting.blocked],
    target: found || steps.needsTarget ? target.name : undefined,
    records: recordsOf(steps.sets),
  };
}

/** A set whose machines are replaced has no machine that only stands in for others. */
function withoutSpare({ hasSpare: _, ...set }: SetView): SetView {
  return set;
}

function recordsOf(sets: readonly SetView[]): ReadonlyMap<string, MoveRecords> {
  return new Map(
    sets.map(({ name, receives, handsOver, hasSpare = false }) => [name, { receives, handsOver, hasSpare }]),
  );
}

/** A MachineDeployment that does not roll out scales its only active MachineSet, and does nothing else. */
function planHeld(
  view: DeploymentView,
  hold: Pick<DeploymentBlocked, "reason" | "why">,
  target: SetView | undefined,
): DeploymentPlan {
  const active = view.sets.filter(({ replicas, isDeleting }) => replicas > 0 && !isDeleting);
  const [only = target] = active;
  const blocked: DeploymentBlocked = { ...headingOf(view), ...hold, targets: [view.name] };
  const isScaled = only !== undefined && active.length <= 1 && only.replicas !== view.replicas;
  const intents: Intents = isScaled
    ? new Map([[only.name, { replicas: view.replicas, why: `${counted(view.replicas, "replica")} desired` }]])
    : new Map();
  return { actions: scalings(view, target, intents), blocked: [blocked], target: target?.name };
}

/** The set that is about to be created, as it will be before its first machine. */
function emptySet({ newSetName }: DeploymentView): SetView {
  return {
    name: newSetName,
    createdMs: Infinity,
    revision: Infinity,
    replicas: 0,
    current: 0,
    deleting: 0,
    available: 0,
    isUpToDate: true,
    isDeleting: false,
    receives: [],
    handsOver: [],
  };
}

function withIntent(set: SetView, intent: Intent | undefined): SetView {
  return intent ? { ...set, replicas: intent.replicas } : set;
}

function creationOf(view: DeploymentView, grown: Intent | undefined): DeploymentAction {
  const { newSetName, whyNewSet } = view;
  const detail = { replicas: grown?.replicas ?? 0 };
  const why = grown ? `${whyNewSet}; ${grown.why}` : whyNewSet;
  return { ...headingOf(view), action: "CreateMachineSet", targets: [newSetName], detail, why };
}

/** The scalings in the order of the sets; the creation of a set has its replicas already. */
function scalings(
  view: DeploymentView,
  target: SetView | undefined,
  intents: Intents,
): readonly DeploymentAction[] {
  return view.sets.flatMap((set): DeploymentAction[] => {
    const intent = intents.get(set.name);
    if (!intent || intent.replicas === set.replicas) return [];
    const detail = { from: set.replicas, to: intent.replicas };
    const which = set.name === target?.name ? "" : "old template; ";
    const why = `${which}${intent.why}`;
    return [{ ...headingOf(view), action: "ScaleMachineSet", targets: [set.name], detail, why }];
  });
}

/** Once a rollout is complete, old MachineSets without machines are deleted, but the last few if the user keeps them. */
function cleanUp(
  view: DeploymentView,
  target: SetView,
  old: readonly SetView[],
): readonly DeploymentAction[] {
  const isComplete =
    target.replicas === view.replicas &&
    target.available === view.replicas &&
    target.current === view.replicas;
  if (!isComplete) return [];
  return old
    .filter(({ replicas, current }) => replicas === 0 && current === 0)
    .toSorted((a, b) => b.revision - a.revision || byAge(b, a))
    .slice(view.keptRevisions)
    .map(({ name }) => ({
      ...headingOf(view),
      action: "DeleteMachineSet",
      targets: [name],
      detail: { cause: "Empty" },
      why: "the rollout is complete, and this MachineSet has no machines",
    }));
}
