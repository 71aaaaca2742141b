import { type Action, type BlockedBy, counted, type Heading, isOrAre } from "../shared/action.ts";
import { byDeletionPriority, causeOf, type DeletionCause } from "./selection.ts";
import type { MachineSetView } from "./view.ts";

/** What the MachineSet controller does next; `capstan plan` prints these names. */
type MachineSetAction =
  | Action<"CreateMachine", { readonly count: number }>
  | Action<"DeleteMachine", { readonly cause: DeletionCause }>
  | Action<"Remediate", { readonly cause: "Requested" | "Unhealthy" }>
  | Action<"Wait", { readonly for: "Creation" | "Deletion" }>;

/** Why the MachineSet controller does not do more. */
type MachineSetBlocked = BlockedBy<
  "PreflightCheckFailed" | "MachineCreateDisabled" | "RemediationLimited" | "CannotBeRemediated"
>;

/** The next actions of a MachineSet, and the blocks that prevent more. */
export interface MachineSetPlan {
  readonly actions: readonly MachineSetAction[];
  readonly blocked: readonly MachineSetBlocked[];
}

// One pass creates at most as many machines as one status can name; the next pass continues.
const MOST_CREATIONS = 500;

/**
 * Decides which machines a MachineSet creates or deletes. Machines that are being deleted count until they are gone, and
 * machines whose creation is recorded count from the record on, so the set never has more machines than replicas because
 * of a cache that shows too few.
 */
export function planMachineSet(view: MachineSetView): MachineSetPlan {
  const known = new Set(view.machines.map(({ name }) => name));
  const recorded = view.creating.filter((name) => !known.has(name));
  const unseen = [...recorded, ...view.arriving.filter((name) => !known.has(name))];
  const total = known.size + unseen.length;
  const waits = waitsOf(view, unseen);
  const remediation = planRemediation(view);
  if (remediation.actions.length > 0) {
    return { actions: [...remediation.actions, ...waits], blocked: remediation.blocked };
  }
  if (total < view.replicas) {
    const creation = planCreation(view, Math.min(view.replicas - total, MOST_CREATIONS - unseen.length));
    return {
      actions: [...creation.actions, ...waits],
      blocked: [...creation.blocked, ...remediation.blocked],
    };
  }
  // A recorded Machine may not exist: the controller drops its name, or a later pass deletes it once the cache shows it.
  const surplus = Math.max(total - recorded.length - view.replicas, 0);
  return { actions: [...planDeletions(view, surplus), ...waits], blocked: remediation.blocked };
}

/** Deletes machines that a health check has marked: those that a user asked for first, then the newest. */
function planRemediation(view: MachineSetView): MachineSetPlan {
  const heading = headingOf(view);
  const marked = view.machines.filter(({ remediation }) => remediation !== undefined);
  const inFlight = marked.filter(({ isDeleting }) => isDeleting).length;
  const waiting = marked
    .filter(({ isDeleting }) => !isDeleting)
    .toSorted(
      (a, b) =>
        rankOf(a.remediation) - rankOf(b.remediation) ||
        b.createdMs - a.createdMs ||
        (a.name < b.name ? -1 : 1),
    );
  const room = Math.max((view.maxInFlight ?? Infinity) - inFlight, 0);
  // Machines that cannot be replaced now stay: an unhealthy machine may still do some work.
  const canReplace = view.isCurrent && view.preflight.length === 0;
  const picked = canReplace ? waiting.slice(0, room) : [];
  const left = waiting.slice(picked.length).map(({ name }) => name);
  return {
    actions: picked.map(({ name, remediation = "Unhealthy" }) => ({
      ...heading,
      action: "Remediate",
      targets: [name],
      detail: { cause: remediation },
      why:
        remediation === "Requested"
          ? "a user asked to replace it"
          : "a health check says that it is unhealthy",
    })),
    blocked:
      left.length > 0
        ? [{ ...heading, targets: left, ...causeOfWait(view, left.length, inFlight + picked.length) }]
        : [],
  };
}

/** Why unhealthy machines are not replaced now. */
function causeOfWait(
  { isCurrent, preflight, maxInFlight }: MachineSetView,
  left: number,
  inFlight: number,
): Pick<MachineSetBlocked, "reason" | "why"> {
  if (!isCurrent) {
    const why =
      "the MachineDeployment has a newer template, and its rollout replaces the machines of this set";
    return { reason: "CannotBeRemediated", why };
  }
  if (preflight.length > 0) return { reason: "PreflightCheckFailed", why: preflight.join("; ") };
  const why = `${counted(inFlight, "machine")} of at most ${maxInFlight} are being replaced, and ${counted(left, "unhealthy machine")} must wait`;
  return { reason: "RemediationLimited", why };
}

function rankOf(remediation: "Requested" | "Unhealthy" | undefined): number {
  return remediation === "Requested" ? 0 : 1;
}

function planCreation(view: MachineSetView, count: number): MachineSetPlan {
  const heading = headingOf(view);
  const targets = [view.name];
  if (count <= 0) return { actions: [], blocked: [] };
  if (view.isCreateDisabled) {
    const why = "the MachineDeployment has a newer template, and its strategy is OnDelete";
    return { actions: [], blocked: [{ ...heading, reason: "MachineCreateDisabled", targets, why }] };
  }
  if (view.preflight.length > 0) {
    const why = view.preflight.join("; ");
    return { actions: [], blocked: [{ ...heading, reason: "PreflightCheckFailed", targets, why }] };
  }
  const existing = view.replicas - count;
  const why = `${counted(view.replicas, "replica")} desired, ${existing} ${isOrAre(existing)} there`;
  return { actions: [{ ...heading, action: "CreateMachine", targets, detail: { count }, why }], blocked: [] };
}

function planDeletions(view: MachineSetView, surplus: number): readonly MachineSetAction[] {
  const picked = byDeletionPriority(view).slice(0, surplus);
  return picked
    .filter(({ isDeleting }) => !isDeleting)
    .map((machine) => ({
      ...headingOf(view),
      action: "DeleteMachine",
      targets: [machine.name],
      detail: { cause: causeOf(machine) },
      why: `${counted(surplus, "machine")} more than ${counted(view.replicas, "replica")}; ${reasonOf(view, machine)}`,
    }));
}

function reasonOf({ deletePolicy }: MachineSetView, machine: Parameters<typeof causeOf>[0]): string {
  switch (causeOf(machine)) {
    case "Annotated":
      return "a user marked this one with cluster.x-k8s.io/delete-machine";
    case "Updating":
      return "this one is being updated in place";
    case "Unhealthy":
      return "this one is not healthy";
    case "ScaleDown":
      return `this one is next by deletePolicy ${deletePolicy}`;
  }
}

function waitsOf(view: MachineSetView, unseen: readonly string[]): readonly MachineSetAction[] {
  const heading = headingOf(view);
  const deleting = view.machines.filter(({ isDeleting }) => isDeleting).map(({ name }) => name);
  return [
    ...(unseen.length > 0 ? [waitFor(heading, "Creation", unseen)] : []),
    ...(deleting.length > 0 ? [waitFor(heading, "Deletion", deleting)] : []),
  ];
}

function waitFor(
  heading: Heading,
  what: "Creation" | "Deletion",
  targets: readonly string[],
): MachineSetAction {
  const why = `${counted(targets.length, "machine")} ${isOrAre(targets.length)} being ${what === "Creation" ? "created" : "deleted"}`;
  return { ...heading, action: "Wait", targets, detail: { for: what }, why };
}

function headingOf({ namespace, name }: MachineSetView): Heading {
  return { controller: "machineset", object: { kind: "MachineSet", namespace, name } };
}
