import { nearestName } from "@capstan/api";
import { withUserClient } from "../cluster/user-access.ts";
import { namespaceFor, type UserAccess } from "../cluster/user-kubeconfig.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { checkManifests } from "../plan/read/check-manifests.ts";
import { checkedDump } from "../plan/read/checked-dump.ts";
import { type GivenObjects, type PlanObjects, sortObjects } from "../plan/read/given-objects.ts";
import { isDump } from "../plan/read/is-dump.ts";
import { newestTimeIn, timeOf } from "../plan/read/newest-time.ts";
import type { PlanForm } from "../plan/print/plan-form.ts";
import { type Planner, type PlanReport, printReports } from "../plan/planners/planner.ts";
import { PLANNERS } from "../plan/planners/planners.ts";
import { type GivenObject, readObjects } from "../plan/read/read-objects.ts";
import { type Emphasis, forWindow } from "../render/emphasis.ts";
import type { Shell } from "../shell.ts";

/** What to plan, and how to print it. */
export interface PlanOptions {
  readonly access: UserAccess;
  readonly files: readonly string[];
  readonly output: PlanForm;
  /** Shows the hashes of models, too. */
  readonly isVerbose?: boolean;
  /** The time of a dump. Default: the newest timestamp in it. */
  readonly now?: string;
}

/** `capstan plan`: what the controllers would do next, or what a change would do. */
export async function plan(shell: Shell, options: PlanOptions): Promise<number> {
  const objects = await readObjects(shell, options.files);
  const given = sortObjects(objects, namespaceFor(shell, options.access));
  for (const [kind, count] of given.ignored) {
    shell.err.write(
      `note: ${count} ${kind} ignored: ${count === 1 ? "it does" : "they do"} not affect a plan\n`,
    );
  }
  const planners = PLANNERS.filter((planner) => planner.isFor(given));
  if (planners.length === 0) {
    const kinds = [...new Set(PLANNERS.flatMap((planner) => planner.kinds))].sort();
    const hint = misspelt([...given.ignored.keys()], kinds);
    throw new CommandError(`there is nothing to plan: no object given is one of ${kinds.join(", ")}${hint}`);
  }
  const reports = isDump(given)
    ? planned(planners, checkedDump(given), timeOfDump(objects, options.now))
    : await forecast(shell, { planners, given, objects, options });
  for (const note of reports.flatMap(({ notes }) => notes)) shell.err.write(`note: ${note}\n`);
  const full = printReports(reports, options.output);
  const text = options.isVerbose || options.output === "json" ? full : inWords(full);
  shell.out.write(options.output === "text" ? forWindow(shell, text, EMPHASIS) : text);
  return reports.some(({ isDisruptive }) => isDisruptive) ? EXIT.disruptive : EXIT.done;
}

function misspelt(ignored: readonly string[], kinds: readonly string[]): string {
  const guesses = ignored.flatMap((kind) => {
    const near = nearestName(kind, kinds);
    return near === undefined ? [] : [`; did you mean ${near} instead of ${kind}?`];
  });
  return guesses[0] ?? "";
}

const HASHES = String.raw`v\d+-[0-9a-f]{6,}(?:(?:, | and )v\d+-[0-9a-f]{6,})*`;

/** A hash says nothing to a reader who does not look it up; the changed fields are in the lines above it. */
function inWords(text: string): string {
  return text
    .replaceAll(new RegExp(` with model ${HASHES}, desired is ${HASHES}`, "g"), " of an older model")
    .replaceAll(new RegExp(`has model ${HASHES}, desired is ${HASHES}`, "g"), "has an older model");
}

const EMPHASIS: Emphasis = [
  [/^Summary: /, "strong"],
  [/^[A-Z]\w+ \S+\/\S+/, "strong"],
  [/^ *blocked: /, "bad"],
  [/^ *(note|not yet): /, "warn"],
  [/^ *(Delete|Remediate|Update)\w+ /, "warn"],
  [/^ {2}nothing to do/, "good"],
];

function planned(planners: readonly Planner[], given: PlanObjects, nowMs: number): readonly PlanReport[] {
  return planners.map((planner) => planner.planDump(given, nowMs));
}

interface Forecast {
  readonly planners: readonly Planner[];
  readonly given: GivenObjects;
  readonly objects: readonly GivenObject[];
  readonly options: PlanOptions;
}

function forecast(shell: Shell, change: Forecast): Promise<readonly PlanReport[]> {
  const { planners, given, objects, options } = change;
  if (options.now !== undefined) {
    throw new CommandError(
      "--now is the time of a dump; what was given are manifests, which are planned for now",
    );
  }
  const isWritten = options.access.namespace !== undefined;
  return withUserClient(shell, options.access, async (client, { now, namespace, transport, home }) => {
    await checkManifests(client, objects, { namespace, isWritten });
    const proposed = { client, transport, home, given, nowMs: now() };
    return Promise.all(planners.map((planner) => planner.forecast(shell, proposed)));
  });
}

function timeOfDump(objects: readonly GivenObject[], given: string | undefined): number {
  if (given !== undefined) {
    const nowMs = timeOf(given);
    if (nowMs !== undefined) return nowMs;
    throw new CommandError(`--now ${JSON.stringify(given)} is not a time; write it as 2026-01-31T12:00:00Z`);
  }
  const newestMs = newestTimeIn(objects);
  if (newestMs !== undefined) return newestMs;
  throw new CommandError("there is no timestamp in the dump, so its time is unknown; give it with --now");
}
