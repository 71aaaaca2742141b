import { aksPlanner } from "./aks-planner.ts";
import { azureClusterPlanner } from "./azure-cluster-planner.ts";
import type { Planner } from "./planner.ts";
import { controlPlanePlanner } from "./control-plane-planner.ts";
import { deploymentPlanner } from "./deployment-planner.ts";
import { poolPlanner } from "./pool-planner.ts";
import { prototypePlanner } from "./prototype-planner.ts";

/** All planners, in the order in which their reports are printed. */
export const PLANNERS: readonly Planner[] = [
  azureClusterPlanner,
  controlPlanePlanner,
  poolPlanner,
  prototypePlanner,
  deploymentPlanner,
  aksPlanner,
];
