/** Decides which updaters update a machine in place: pure, the answers of the updaters are its input. */

/** An updater as the plan needs it. */
interface PlannedUpdater {
  readonly name: string;
}

/** The answer of an updater to the question which changes it can make. */
export type UpdaterAnswer =
  /** With its own words about the changes that it refuses, if it has any. */
  | {
      readonly accepted: readonly string[];
      readonly needsDrain?: boolean;
      readonly affectsAvailability?: boolean;
      readonly message?: string;
    }
  /** The updater did not answer, and its failure policy is Ignore: it makes no change. */
  | { readonly ignored: string }
  /** The updater did not answer, so it is not known what can be updated in place. */
  | { readonly failed: string };

/**
 * Why an updater's word that a machine stays available is recorded and shown, and changes no budget: the name of the field may
 * change until Cluster API 1.15 is on Go's module proxy.
 */
export const AVAILABILITY_NOT_COUNTED =
  "the machine stays available, which counts only from Cluster API 1.15";

/** A part of a plan: an updater and the changes that it makes. */
interface PlanStep {
  readonly name: string;
  readonly changes: readonly string[];
  /** Whether the Node is drained before. */
  readonly needsDrain?: boolean;
  /** False if the updater says that the machine stays available. No budget counts it: see AVAILABILITY_NOT_COUNTED. */
  readonly affectsAvailability?: boolean;
}

/** The plan, or the next question that it needs. */
export type UpdatePlan =
  | { readonly state: "ask"; readonly updater: string; readonly changes: readonly string[] }
  | { readonly state: "covered"; readonly steps: readonly PlanStep[]; readonly why: string }
  | {
      readonly state: "uncovered";
      readonly uncovered: readonly string[];
      readonly steps: readonly PlanStep[];
      readonly why: string;
    }
  | { readonly state: "unknown"; readonly why: string };

/** The changes, the registered updaters in their order, and the answers so far. */
export interface PlanInput {
  readonly changes: readonly string[];
  readonly updaters: readonly PlannedUpdater[];
  readonly answers: ReadonlyMap<string, UpdaterAnswer>;
}

/**
 * Asks one updater after the other and subtracts what each accepts, until no change is left. Paths that an updater accepts
 * without being asked for them do not count.
 */
export function planUpdate({ changes, updaters, answers }: PlanInput): UpdatePlan {
  const steps: PlanStep[] = [];
  let left = [...new Set(changes)];
  for (const { name } of updaters) {
    if (left.length === 0) break;
    const answer = answers.get(name);
    if (!answer) return { state: "ask", updater: name, changes: left };
    if ("failed" in answer) return { state: "unknown", why: `updater ${name}: ${answer.failed}` };
    const step = stepOf(name, left, answer);
    if (step.changes.length > 0) steps.push(step);
    left = left.filter((path) => !step.changes.includes(path));
  }
  if (left.length > 0)
    return { state: "uncovered", uncovered: left, steps, why: uncoveredWhy(left, updaters, answers) };
  const why = steps.map(({ name, changes: paths }) => `${name} changes ${paths.join(", ")}`).join("; ");
  return { state: "covered", steps, why: why === "" ? "no field of the machines changes" : why };
}

function stepOf(name: string, left: readonly string[], answer: UpdaterAnswer): PlanStep {
  if (!("accepted" in answer)) return { name, changes: [] };
  const accepted = new Set(answer.accepted);
  const changes = left.filter((path) => accepted.has(path));
  return {
    name,
    changes,
    ...(answer.needsDrain === true && { needsDrain: true }),
    ...(answer.affectsAvailability === false && { affectsAvailability: false }),
  };
}

function uncoveredWhy(
  left: readonly string[],
  updaters: readonly PlannedUpdater[],
  answers: PlanInput["answers"],
): string {
  const asked =
    updaters.length === 0
      ? "no updater is registered"
      : `asked: ${updaters.map(({ name }) => name).join(", ")}`;
  const words = updaters.flatMap(({ name }) => {
    const answer = answers.get(name);
    return answer && "accepted" in answer && answer.message ? [`; ${name} says: ${answer.message}`] : [];
  });
  return `no updater changes ${left.join(", ")} (${asked})${words.join("")}`;
}
