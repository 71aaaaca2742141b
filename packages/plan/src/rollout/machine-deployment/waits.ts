import { counted, isOrAre } from "../shared/action.ts";
import { type DeploymentAction, type DeploymentBlocked, headingOf } from "./action.ts";
import type { Sets } from "./scale-down.ts";
import type { DeploymentView } from "./view.ts";

interface Situation extends Sets {
  /** Whether the plan has other actions. */
  readonly isActing: boolean;
}

/** What a MachineDeployment waits for, and why a rollout does not move. */
export function planWaits(
  view: DeploymentView,
  { target, old, isActing }: Situation,
): { readonly actions: readonly DeploymentAction[]; readonly blocked: readonly DeploymentBlocked[] } {
  const heading = headingOf(view);
  const actions: DeploymentAction[] = [];
  const blocked: DeploymentBlocked[] = [];
  const targets = [target.name];
  const wait = (
    what: "Availability" | "Deletion" | "Creation",
    names: readonly string[],
    why: string,
  ): void => {
    actions.push({ ...heading, action: "Wait", targets: names, detail: { for: what }, why });
  };
  const missing = target.replicas - Math.max(target.current - target.deleting, 0);
  if (missing > 0)
    wait(
      "Creation",
      targets,
      `${counted(missing, "machine")} with the new template ${isOrAre(missing)} created`,
    );
  const leaving = old.filter(({ replicas, current }) => current > replicas);
  if (leaving.length > 0) {
    const count = leaving.reduce((sum, { replicas, current }) => sum + current - replicas, 0);
    const why = `${counted(count, "machine")} with the old template ${isOrAre(count)} deleted`;
    wait(
      "Deletion",
      leaving.map(({ name }) => name),
      why,
    );
  }
  const unavailable = Math.min(target.replicas, target.current) - target.available;
  if (unavailable > 0) {
    const why = `${counted(unavailable, "machine")} with the new template ${isOrAre(unavailable)} not available yet`;
    wait("Availability", targets, why);
    if (!isActing && old.some(({ replicas }) => replicas > 0))
      blocked.push({ ...heading, reason: "NewMachinesNotAvailable", targets, why });
  }
  const rest = old.reduce((sum, { replicas }) => sum + replicas, 0);
  if (view.strategy === "OnDelete" && rest > 0) {
    const why = `${counted(rest, "machine")} with the old template ${isOrAre(rest)} replaced only after a user deletes them`;
    blocked.push({
      ...heading,
      reason: "WaitingForDeletionByUser",
      targets: old.map(({ name }) => name),
      why,
    });
  }
  return { actions, blocked };
}
