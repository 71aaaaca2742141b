import { type Frozen, type MachineDeployment, resolveRolloutBudget } from "@capstan/api";
import type { DeploymentView } from "@capstan/plan";
import { isInPlace } from "../../in-place/strategy.ts";

const ROLLING_LIMITS = { maxSurge: 1, maxUnavailable: 0 };
const IN_PLACE_LIMITS = { maxSurge: 0, maxUnavailable: 1 };

/** The resolved limits of a rolling update; none for other strategies. */
export function limitsOf(
  { spec }: Frozen<MachineDeployment>,
  replicas: number,
): Pick<DeploymentView, "maxSurge" | "maxUnavailable"> {
  const { type = "RollingUpdate", rollingUpdate } = spec.rollout?.strategy ?? {};
  const defaults = isInPlace(spec.rollout?.strategy) ? IN_PLACE_LIMITS : ROLLING_LIMITS;
  if (defaults === ROLLING_LIMITS && type !== "RollingUpdate") return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge, maxUnavailable } = { ...defaults, ...rollingUpdate };
  return resolveRolloutBudget({ maxSurge, maxUnavailable }, replicas);
}
