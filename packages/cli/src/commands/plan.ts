import { withUserClient } from "../cluster/user-access.ts";
import { namespaceFor, type UserAccess } from "../cluster/user-kubeconfig.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type GivenChange, givenChange, plannedChange, plannedDump } from "../plan/planned-change.ts";
import { type PlanReport, printReports } from "../plan/planners/planner.ts";
import { inWords } from "../plan/print/in-words.ts";
import type { PlanForm } from "../plan/print/plan-form.ts";
import { sortObjects } from "../plan/read/given-objects.ts";
import { isDump } from "../plan/read/is-dump.ts";
import { readObjects } from "../plan/read/read-objects.ts";
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
  const change = givenChange(objects, given);
  const reports = isDump(given) ? plannedDump(change, options.now) : await forecast(shell, change, options);
  for (const note of reports.flatMap(({ notes }) => notes)) shell.err.write(`note: ${note}\n`);
  const full = printReports(reports, options.output);
  const text = options.isVerbose || options.output === "json" ? full : inWords(full);
  shell.out.write(options.output === "text" ? forWindow(shell, text, EMPHASIS) : text);
  return reports.some(({ isDisruptive }) => isDisruptive) ? EXIT.disruptive : EXIT.done;
}

const EMPHASIS: Emphasis = [
  [/^Summary: /, "strong"],
  [/^[A-Z]\w+ \S+\/\S+/, "strong"],
  [/^ *blocked: /, "bad"],
  [/^ *(note|not yet): /, "warn"],
  [/^ *(Delete|Remediate|Update)\w+ /, "warn"],
  [/^ {2}nothing to do/, "good"],
];

async function forecast(
  shell: Shell,
  change: GivenChange,
  { access, now: time }: PlanOptions,
): Promise<readonly PlanReport[]> {
  if (time !== undefined) {
    throw new CommandError(
      "--now is the time of a dump; what was given are manifests, which are planned for now",
    );
  }
  const isWritten = access.namespace !== undefined;
  return withUserClient(shell, access, (client, { now, ...place }) =>
    plannedChange(shell, change, { ...place, client, isWritten, nowMs: now() }),
  );
}
