import type { Frozen, KubeadmControlPlane, Machine } from "@capstan/api";
import type { Editable } from "@capstan/runtime";
import { newMachineReason } from "@capstan/plan";
import {
  decideUpdate,
  isCurrent,
  uncovered,
  type UpdateDecision,
  updatersKey,
} from "../../../in-place/ask.ts";
import { registeredUpdaters, type UpdaterPorts } from "../../../in-place/hooks/updaters.ts";
import { isInPlace } from "../../../in-place/strategy.ts";
import { outdatedOf } from "../observed-view.ts";
import type { DecisionScope } from "./decision-scope.ts";
import { desiredState } from "./desired.ts";
import { desiredKey, hashOf } from "./view.ts";

type Decision = NonNullable<
  NonNullable<Frozen<KubeadmControlPlane>["status"]>["inPlace"]
>["decisions"][number];

/**
 * Asks the updaters for each outdated machine whether they can update it, and records the answers in the status. An updater
 * is asked once for each machine, desired state and list of updaters.
 */
export async function decideInPlace(scope: DecisionScope): Promise<void> {
  const { controlPlane, shared } = scope;
  const { inPlace: known, ...status } = controlPlane.status ?? {};
  const { updaters: ports } = shared.ports;
  const outdated = isAsking(scope) ? outdatedMachines(scope) : [];
  if (ports && outdated.length > 0) {
    const decisions = await decisionsOf(scope, ports, { outdated, known: known?.decisions ?? [] });
    controlPlane.status = { ...status, inPlace: { key: desiredKey(controlPlane), decisions } };
  } else if (known) controlPlane.status = status;
}

/** While the feature is off, no updater is asked. */
function isAsking({ controlPlane, shared }: DecisionScope): boolean {
  return isInPlace(controlPlane.spec.rolloutStrategy) && shared.ports.features?.InPlaceUpdates === true;
}

function outdatedMachines(scope: DecisionScope): readonly Frozen<Machine>[] {
  return scope.machines.filter(
    (machine) => machine.metadata.deletionTimestamp === undefined && outdatedOf(scope, machine).length > 0,
  );
}

interface Situation {
  readonly outdated: readonly Frozen<Machine>[];
  readonly known: readonly Decision[];
}

/** One decision for each outdated machine; those that still hold are kept. */
async function decisionsOf(
  scope: DecisionScope,
  ports: UpdaterPorts,
  { outdated, known }: Situation,
): Promise<Editable<Decision>[]> {
  const { context, controlPlane } = scope;
  const nowMs = context.env.clock.now();
  const updaters = await registeredUpdaters(context.cache, ports, controlPlane.metadata.namespace ?? "");
  const key = hashOf([desiredKey(controlPlane), updatersKey(updaters)]);
  const decisions: Decision[] = [];
  for (const machine of outdated) {
    const { name } = machine.metadata;
    const before = known.find((one) => one.machine === name);
    const decision =
      before && isCurrent(before, key, nowMs)
        ? before
        : await decide(scope, ports, { machine, updaters, nowMs });
    decisions.push({ ...decision, machine: name, key });
  }
  return structuredClone(decisions);
}

interface Question {
  readonly machine: Frozen<Machine>;
  readonly updaters: Awaited<ReturnType<typeof registeredUpdaters>>;
  readonly nowMs: number;
}

function decide(
  scope: DecisionScope,
  ports: UpdaterPorts,
  { machine, updaters, nowMs }: Question,
): Promise<UpdateDecision> {
  const [reason] = newMachineReason(scope.controlPlane.spec.rolloutAfter, machine, nowMs);
  if (reason !== undefined)
    return Promise.resolve(uncovered(["spec.rolloutAfter"], `only a new machine is newer: ${reason}`));
  return decideUpdate(ports, { desired: () => desiredState(scope, machine), updaters, nowMs });
}
