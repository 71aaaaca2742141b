import { Cluster, controllerOf, type Frozen, type MachineDeployment, MachineSet } from "@capstan/api";
import type { Context, Editable } from "@capstan/runtime";
import type { DeploymentPlan } from "../../rollout/machine-deployment/plan.ts";

/** One pass over one MachineDeployment. */
export interface Scope {
  readonly context: Context<MachineDeployment>;
  readonly deployment: Editable<MachineDeployment>;
  /** The Cluster of the deployment, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  /** The MachineSets of the deployment in the cache. */
  readonly sets: readonly Frozen<MachineSet>[];
  plan?: DeploymentPlan;
}

/** The name of the index over the controllers of MachineSets, by UID. */
export const BY_CONTROLLER = "set-controller";

export function buildScope(context: Context<MachineDeployment>): Scope {
  const { object: deployment, cache } = context;
  const { namespace, uid = "" } = deployment.metadata;
  const cluster = cache.get(Cluster, { name: deployment.spec.clusterName, namespace });
  const sets = cache.list(MachineSet, { index: BY_CONTROLLER, value: uid });
  return { context, deployment, cluster, sets };
}

/** The value of a MachineSet in the index over controllers. */
export function controllerUids(set: Frozen<MachineSet>): readonly string[] {
  const controller = controllerOf(set);
  return controller ? [controller.uid] : [];
}
