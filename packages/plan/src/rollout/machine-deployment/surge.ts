import { counted } from "../shared/action.ts";
import type { Intent } from "./plan.ts";
import type { DeploymentView, SetView } from "./view.ts";

/** Grows the MachineSet with the template as far as the surge allows, or shrinks it to the desired replicas. */
export function growTarget(
  view: DeploymentView,
  target: SetView,
  old: readonly SetView[],
): Intent | undefined {
  const { replicas, maxSurge } = view;
  if (target.replicas === replicas) return undefined;
  if (target.replicas > replicas) return { replicas, why: `${counted(replicas, "replica")} desired` };
  const existing = [target, ...old].reduce((sum, set) => sum + Math.max(set.replicas, set.current), 0);
  const most = replicas + maxSurge;
  const room = most - existing;
  if (room <= 0) return undefined;
  const added = Math.min(room, replicas - target.replicas);
  const why = `${counted(existing, "machine")} of at most ${most} (${replicas} + maxSurge ${maxSurge})`;
  return { replicas: target.replicas + added, why };
}
