import type { Frozen, MachineDeployment } from "@capstan/api";
import { targetOf } from "@capstan/plan";
import type { UpdaterPorts } from "../../../in-place/hooks/updaters.ts";
import { viewOf } from "../view.ts";
import { askAboutSets, type DecisionScope } from "./decisions.ts";
import { isInPlace } from "../../../in-place/strategy.ts";

/**
 * A MachineDeployment that is not stored yet, with the decision about updates in place that its controller would record.
 * The updaters are asked; nothing is written.
 */
export async function decideProposedDeployment(
  scope: DecisionScope,
  ports: UpdaterPorts,
): Promise<Frozen<MachineDeployment>> {
  const { context, deployment, sets } = scope;
  if (!isInPlace(deployment.spec.rollout?.strategy)) return deployment;
  const isTaken = (name: string): boolean => sets.some(({ metadata }) => metadata.name === name);
  const view = viewOf({ deployment, sets, isTaken, nowMs: context.env.clock.now() });
  await askAboutSets(scope, ports, targetOf(view)?.name ?? view.newSetName);
  return deployment;
}
