import { boundedText, type Frozen, formatTimestamp, type MachineDeployment } from "@capstan/api";
import { Failure } from "@capstan/runtime";
import type { DesiredState } from "./compare.ts";
import { planUpdate, type UpdatePlan, type UpdaterAnswer } from "@capstan/plan";
import type { Updater } from "./hooks/registry.ts";
import type { UpdaterQuestion } from "./machine-objects.ts";
import { askUpdater, type UpdaterPorts } from "./hooks/updaters.ts";

type Recorded = NonNullable<NonNullable<Frozen<MachineDeployment>["status"]>["inPlace"]>["decisions"][number];

/** Whether updaters can make the changes of a machine, as owners of machines record it in their status. */
export type UpdateDecision = Omit<Recorded, "machineSet" | "key">;

// An updater that does not answer now may answer soon; every event of the owner would ask it again.
const RETRY_MS = 30_000;
const LONGEST_MESSAGE = 2_000;
const MOST_PATHS = 256;

/** What a decision rests on. */
export interface UpdateQuestion {
  readonly desired: () => Promise<DesiredState>;
  readonly updaters: readonly Updater[];
  readonly nowMs: number;
}

/** Asks the updaters one after the other, until all changes are accepted or no updater is left. */
export async function askUpdaters(
  ports: UpdaterPorts,
  { desired, updaters, nowMs }: UpdateQuestion,
): Promise<UpdateDecision> {
  try {
    const comparison = await desired();
    if (comparison.state === "impossible") return uncovered(comparison.paths, comparison.why);
    const answers = new Map<string, UpdaterAnswer>();
    const { changes } = comparison.request;
    let question: UpdaterQuestion = comparison;
    for (;;) {
      const plan = planUpdate({ changes, updaters, answers });
      if (plan.state !== "ask") return decisionOf(plan, nowMs);
      const updater = updaters.find(({ name }) => name === plan.updater);
      if (!updater) throw new TypeError(`the plan asks for ${plan.updater}, which is not registered`);
      const request = { ...question.request, changes: [...plan.changes] };
      const { answer, next } = await askUpdater(ports, updater, { ...question, request });
      answers.set(plan.updater, answer);
      question = next;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.failure === "Conflict") throw error;
    // The API server has said when to come back. A decision could be lost with its write, and would be made again at once.
    if (error.retryAfterMs !== undefined) throw error;
    return decisionOf({ state: "unknown", why: error.message }, nowMs);
  }
}

/** The decision that no updater makes some changes. */
export function uncovered(paths: readonly string[], why: string): UpdateDecision {
  return { result: "Uncovered", uncovered: [...paths], message: bounded(why) };
}

/** Whether a decision still holds: on the same basis, and not one that an updater failed to answer some time ago. */
export function isCurrent(
  { key: before, result, retryAfter }: UpdateDecision & { readonly key: string },
  key: string,
  nowMs: number,
): boolean {
  if (before !== key) return false;
  return result !== "Unknown" || nowMs < Date.parse(retryAfter ?? "");
}

/** What identifies the registered updaters, for the key of a decision. */
export function updatersKey(updaters: readonly Updater[]): unknown {
  return updaters.map(({ config: { metadata } }) => [metadata.name, metadata.uid, metadata.generation]);
}

function decisionOf(plan: Exclude<UpdatePlan, { state: "ask" }>, nowMs: number): UpdateDecision {
  const message = bounded(plan.why);
  if (plan.state === "unknown")
    return { result: "Unknown", message, retryAfter: formatTimestamp(nowMs + RETRY_MS) };
  const updaters = plan.steps.map((step) => ({ ...step, changes: step.changes.slice(0, MOST_PATHS) }));
  return plan.state === "covered"
    ? { result: "Covered", updaters, message }
    : { result: "Uncovered", uncovered: plan.uncovered.slice(0, MOST_PATHS), updaters, message };
}

function bounded(text: string): string {
  return boundedText(text, LONGEST_MESSAGE);
}
