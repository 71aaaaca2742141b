import { createHash } from "node:crypto";
import {
  boundedText,
  formatTimestamp,
  type Frozen,
  type Machine,
  type MachineDeployment,
  type MachineSet,
} from "@capstan/api";
import { Failure } from "@capstan/runtime";
import { planUpdate, type UpdatePlan, type UpdaterAnswer } from "../../../updaters/plan.ts";
import type { Updater } from "../../../updaters/registry.ts";
import { askUpdater, registeredUpdaters, type UpdaterPorts } from "../../../updaters/updaters.ts";
import type { Scope } from "../scope.ts";
import { isUpToDate, rolloutFields } from "../template.ts";
import { desiredState } from "./desired.ts";

type Decision = NonNullable<NonNullable<Frozen<MachineDeployment>["status"]>["inPlace"]>["decisions"][number];

// An updater that does not answer now may answer soon; every event of the deployment would ask it again.
const RETRY_MS = 30_000;
const LONGEST_MESSAGE = 2_000;
const MOST_PATHS = 256;

/**
 * Decides for each old set whether updaters can update its machines, and records that in the status: machines of one set have
 * the same difference, so one of them stands for all. A decision is made once for each template and list of updaters.
 */
export async function decideInPlace(scope: Scope, ports: UpdaterPorts, target: string): Promise<void> {
  const { context, deployment } = scope;
  const { namespace = "" } = deployment.metadata;
  const nowMs = context.env.clock.now();
  const updaters = await registeredUpdaters(context.cache, ports, namespace);
  const key = keyOf(scope, updaters);
  const known = deployment.status?.inPlace?.machineSet === target ? deployment.status.inPlace.decisions : [];
  const decisions: Decision[] = [];
  for (const { set, machine } of examplesOf(scope, nowMs)) {
    const { name } = set.metadata;
    const before = known.find(({ machineSet }) => machineSet === name);
    decisions.push(
      before && isCurrent(before, key, nowMs)
        ? before
        : { machineSet: name, key, ...(await decide(scope, ports, { set, machine, updaters })) },
    );
  }
  record(scope, target, decisions);
}

/** The old sets that have machines, each with one that stands for all. */
function examplesOf(scope: Scope, nowMs: number): readonly Omit<Question, "updaters">[] {
  return scope.sets.flatMap((set) => {
    const machine = isUpToDate(scope.deployment, set, nowMs) ? undefined : exampleOf(scope, set);
    return machine ? [{ set, machine }] : [];
  });
}

function record({ deployment }: Scope, target: string, decisions: readonly Decision[]): void {
  const { inPlace: _, ...status } = deployment.status ?? {};
  const inPlace = { machineSet: target, decisions: structuredClone(decisions) as never };
  deployment.status = decisions.length > 0 ? { ...status, inPlace } : status;
}

function isCurrent({ key: before, result, retryAfter }: Decision, key: string, nowMs: number): boolean {
  if (before !== key) return false;
  return result !== "Unknown" || nowMs < Date.parse(retryAfter ?? "");
}

/** The oldest machine of a set that is not being deleted. */
function exampleOf({ machines }: Scope, { metadata }: Frozen<MachineSet>): Frozen<Machine> | undefined {
  const own = (machines.get(metadata.uid ?? "") ?? []).filter(
    (machine) => machine.metadata.deletionTimestamp === undefined,
  );
  return own.find(({ status }) => status?.nodeRef) ?? own[0];
}

interface Question {
  readonly set: Frozen<MachineSet>;
  readonly machine: Frozen<Machine>;
  readonly updaters: readonly Updater[];
}

async function decide(
  scope: Scope,
  ports: UpdaterPorts,
  { set, machine, updaters }: Question,
): Promise<Omit<Decision, "machineSet" | "key">> {
  const nowMs = scope.context.env.clock.now();
  try {
    const desired = await desiredState(scope, { machine, set });
    if (desired.state === "impossible")
      return { result: "Uncovered", uncovered: [...desired.paths], message: bounded(desired.why) };
    const answers = new Map<string, UpdaterAnswer>();
    const { changes } = desired.request;
    for (;;) {
      const plan = planUpdate({ changes, updaters, answers });
      if (plan.state !== "ask") return decisionOf(plan, nowMs);
      const updater = updaters.find(({ name }) => name === plan.updater);
      if (!updater) throw new TypeError(`the plan asks for ${plan.updater}, which is not registered`);
      const request = { ...desired.request, changes: plan.changes };
      answers.set(plan.updater, await askUpdater(ports, updater, request));
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.failure === "Conflict") throw error;
    return decisionOf({ state: "unknown", why: error.message }, nowMs);
  }
}

function decisionOf(
  plan: Exclude<UpdatePlan, { state: "ask" }>,
  nowMs: number,
): Omit<Decision, "machineSet" | "key"> {
  const message = bounded(plan.why);
  if (plan.state === "unknown")
    return { result: "Unknown", message, retryAfter: formatTimestamp(nowMs + RETRY_MS) };
  const updaters = plan.steps.map(({ name, changes }) => ({ name, changes: changes.slice(0, MOST_PATHS) }));
  return plan.state === "covered"
    ? { result: "Covered", updaters, message }
    : { result: "Uncovered", uncovered: plan.uncovered.slice(0, MOST_PATHS), updaters, message };
}

function bounded(text: string): string {
  return boundedText(text, LONGEST_MESSAGE);
}

/** What a decision rests on, apart from the machines themselves. */
function keyOf({ deployment }: Scope, updaters: readonly Updater[]): string {
  const facts = [
    rolloutFields(deployment.spec.template.spec),
    updaters.map(({ config: { metadata } }) => [metadata.name, metadata.uid, metadata.generation]),
  ];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
}
