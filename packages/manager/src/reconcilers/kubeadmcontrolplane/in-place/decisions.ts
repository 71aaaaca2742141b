import type { Frozen, KubeadmControlPlane, Machine } from "@capstan/api";
import { newMachineReason } from "@capstan/plan";
import { type Editable, next, type Outcome } from "@capstan/runtime";
import { uncovered } from "../../../in-place/ask.ts";
import { type DecisionContext, decisionsAbout, type UpdateSubject } from "../../../in-place/decisions.ts";
import { type DesiredParts, desiredParts, desiredState } from "../../../in-place/desired.ts";
import type { UpdaterPorts } from "../../../in-place/hooks/updaters.ts";
import { isInPlace } from "../../../in-place/strategy.ts";
import type { KubeadmControlPlanePorts, Scope } from "../scope.ts";
import { desiredKey } from "./desired-key.ts";

type Decision = NonNullable<
  NonNullable<Frozen<KubeadmControlPlane>["status"]>["inPlace"]
>["decisions"][number];

/** The part of a pass that asks updaters; `capstan plan` has it too, without a controller. */
export interface DecisionScope extends Pick<
  Scope,
  "controlPlane" | "owner" | "machines" | "outdated" | "desiredParts"
> {
  readonly context: DecisionContext;
  readonly shared: { readonly ports: Pick<KubeadmControlPlanePorts, "updaters" | "features"> };
}

/** Asks the updaters before the plan is made: it depends on their answers. */
export async function askUpdaters(scope: Scope): Promise<Outcome> {
  await askAboutMachines(scope);
  // A pass that fails later reports no status, and the answers would be asked for again.
  if (scope.controlPlane.status?.inPlace) await scope.context.persistStatus();
  return next;
}

/** Asks the updaters for each outdated machine whether they can update it, and records the answers in the status. */
export async function askAboutMachines(scope: DecisionScope): Promise<void> {
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
  return isInPlace(controlPlane.spec.rollout?.strategy) && shared.ports.features?.InPlaceUpdates === true;
}

function outdatedMachines({ machines, outdated }: DecisionScope): readonly Frozen<Machine>[] {
  return machines.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined && (outdated.get(metadata.name) ?? []).length > 0,
  );
}

interface Situation {
  readonly outdated: readonly Frozen<Machine>[];
  readonly known: readonly Decision[];
}

/** One decision for each outdated machine. */
async function decisionsOf(
  scope: DecisionScope,
  ports: UpdaterPorts,
  { outdated, known }: Situation,
): Promise<Editable<Decision>[]> {
  const { context, controlPlane } = scope;
  const decisions = await decisionsAbout(context, ports, {
    namespace: controlPlane.metadata.namespace ?? "",
    desiredKey: desiredKey(controlPlane),
    subjects: outdated.map((machine) => subjectOf(scope, machine, known)),
  });
  return structuredClone(decisions) as Editable<Decision>[];
}

function subjectOf(
  scope: DecisionScope,
  machine: Frozen<Machine>,
  known: readonly Decision[],
): UpdateSubject<Decision> {
  const { name } = machine.metadata;
  const { context, controlPlane, owner } = scope;
  const parts = () => desiredPartsOf(scope, machine);
  const [reason] = newMachineReason(controlPlane.spec.rollout?.after, machine, context.env.clock.now());
  return {
    before: known.find((one) => one.machine === name),
    settled:
      reason === undefined
        ? undefined
        : uncovered(["spec.rollout.after"], `only a new machine is newer: ${reason}`),
    desired: () => desiredState(context, { owner, machine, parts }),
    record: (decision) => ({ machine: name, ...decision }),
  };
}

/** The desired objects of a machine, computed once in a pass. */
export function desiredPartsOf(
  { context, owner, desiredParts: known }: Pick<DecisionScope, "context" | "owner" | "desiredParts">,
  machine: Frozen<Machine>,
): Promise<DesiredParts> {
  const { name } = machine.metadata;
  const parts = known.get(name) ?? desiredParts(context, owner, machine);
  known.set(name, parts);
  return parts;
}
