import { isDeleting } from "./selection.ts";
import type { ControlPlaneMachine, ControlPlaneView } from "./view.ts";

/** What a change of the machines depends on. */
export interface PreflightOptions {
  /** The machine that the change deletes: its own health does not matter. */
  readonly except?: ControlPlaneMachine;
  /** Whether a machine joins, which needs the certificates of the cluster. */
  readonly joins?: boolean;
}

/** Why no machine may be created or deleted now; empty when one may. */
export function preflight(
  view: ControlPlaneView,
  { except, joins = false }: PreflightOptions,
): readonly string[] {
  if (view.machines.length === 0) return [];
  const deleting = view.machines.filter(isDeleting).map(({ name }) => name);
  if (deleting.length > 0) return [`Machine ${deleting.join(", ")} is being deleted`];
  const certificates = joins && view.certificateProblem !== undefined ? [view.certificateProblem] : [];
  return [...certificates, ...view.machines.filter((one) => one !== except).flatMap(problemsOf)];
}

function problemsOf({ name, nodeName, trouble, parts }: ControlPlaneMachine): readonly string[] {
  if (nodeName === undefined) return [`Machine ${name} has no Node${trouble ? `: ${trouble}` : " yet"}`];
  return parts
    .filter(({ health }) => health !== "healthy")
    .map(({ part, why }) => `Machine ${name} is not healthy: ${part}: ${why}`);
}
