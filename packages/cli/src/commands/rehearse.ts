import { statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FEATURE_NAMES, type Features } from "@capstan/api";
import {
  type FaultPlan,
  formatProblem,
  type Outcome,
  readFaultPlan,
  TABLE_DURATIONS,
  type Verdict,
  verdictOf,
} from "@capstan/sim";
import { withUserClient } from "../cluster/user-access.ts";
import { namespaceFor, type UserAccess } from "../cluster/user-kubeconfig.ts";
import { CommandError } from "../command-error.ts";
import { featuresFor } from "../data-directory/feature-gates.ts";
import { EXIT } from "../exit-codes.ts";
import { manifestFiles, readProblem } from "../given-file.ts";
import { type GivenObject, readObjects } from "../plan/read/read-objects.ts";
import { size } from "../render/amounts.ts";
import { onOneLine } from "../render/one-line.ts";
import { codeSpan } from "../render/code-span.ts";
import { forWindow } from "../render/emphasis.ts";
import { htmlOf, type NamedAnswer } from "../rehearse/print/html.ts";
import { markdownOf } from "../rehearse/print/markdown.ts";
import { EMPHASIS, textOf } from "../rehearse/print/text.ts";
import type { Answer } from "../rehearse/print/answer.ts";
import { withSimulatedLogin } from "../rehearse/read/created-form.ts";
import { carriersOf, differencesOf, noVerdictFor } from "../rehearse/read/carriers.ts";
import { liveFleet, liveWorkload, workloadsOf } from "../rehearse/read/live-fleet.ts";
import { keyOf, touchedPart } from "../rehearse/read/touched-clusters.ts";
import { type LearntDurations, learntDurations } from "../rehearse/read/learnt-durations.ts";
import { type GivenWorkload, type ReadFleet, readFleet } from "../rehearse/read/read-fleet.ts";
import { withNamesOfDump } from "../rehearse/names-of-dump.ts";
import type { SeedResult } from "../rehearse/rehearse-seed.ts";
import { readWorkload } from "../rehearse/read/workload-objects.ts";
import { runSeeds } from "../rehearse/run-seeds.ts";
import type { Shell } from "../shell.ts";

/** What to rehearse, and how to print it. */
export interface RehearseOptions {
  readonly access: UserAccess;
  /** The manifests of the change. */
  readonly files: readonly string[];
  /** Dumps of the fleet; without one, the cluster of the kubeconfig is read. */
  readonly from: readonly string[];
  /** Dumps of workload clusters, as NAME=FILE. */
  readonly workloads: readonly string[];
  /** Reads pods of workload clusters through their kubeconfig Secrets. */
  readonly isReadingWorkloads: boolean;
  readonly seeds: number;
  readonly firstSeed: number;
  /** The manifests of another change, to compare. */
  readonly compare: readonly string[];
  /** Where to write a report as HTML. */
  readonly html?: string;
  /** `none`, `swarm`, or a list. */
  readonly faults: string;
  readonly limitMs: number;
  /** Whether durations are learnt from the fleet, or all of them are those of the table. */
  readonly durations: DurationSource;
  readonly output: RehearseForm;
  readonly featureGates?: string;
}

/** Where durations may come from. */
export type DurationSource = "fleet" | "table";
/** The formats of an answer. */
export type RehearseForm = "text" | "json" | "markdown";

/** `capstan rehearse`: grows a fleet in virtual time from its specs, applies a change, and says what happens. */
export async function rehearse(shell: Shell, options: RehearseOptions): Promise<number> {
  const namespace = namespaceFor(shell, options.access);
  if (options.html !== undefined) refuseReport(shell, options.html);
  const files = [options.files, ...(options.compare.length > 0 ? [options.compare] : [])];
  const flags = ["-f", "--compare"];
  const changes = await Promise.all(
    files.map(async (these, index) =>
      placedIn(await readObjects(shell, these, flags[index]), these, namespace),
    ),
  );
  const fleet = await fleetOf(shell, options, changes.flat());
  const answers: NamedAnswer[] = [];
  for (const [index, change] of changes.entries()) {
    const read = readFleet({ ...fleet, change, namespace });
    const answer = await answerTo(shell, { options, objects: fleet.objects, change, read });
    answers.push({ title: files[index]?.join(" ") ?? "", answer });
  }
  shell.out.write(printed(shell, answers, options.output));
  if (options.html !== undefined) writeReport(shell, options.html, htmlOf(answers));
  return answers[0]?.answer.exitCode ?? EXIT.failed;
}

function placedIn(
  objects: readonly GivenObject[],
  files: readonly string[],
  namespace: string,
): readonly GivenObject[] {
  if (objects.length > 0) return objects.map((object) => placed(object, namespace));
  throw new CommandError(`${files.join(" ")} has no object; expected the manifests of a change`);
}

interface GivenFleet {
  readonly objects: readonly GivenObject[];
  readonly workloads: readonly GivenWorkload[];
}

/** The fleet of the dumps, or of the cluster of the kubeconfig. */
async function fleetOf(
  shell: Shell,
  options: RehearseOptions,
  change: readonly GivenObject[],
): Promise<GivenFleet> {
  const namespace = namespaceFor(shell, options.access);
  const given = await readWorkloads(shell, options.workloads, namespace);
  if (options.from.length > 0) {
    if (options.isReadingWorkloads) throw new CommandError(NEEDS_CLUSTER);
    return { objects: await readFiles(shell, options.from), workloads: given };
  }
  return withUserClient(shell, options.access, async (client, { home }) => {
    shell.err.write(
      "note: reading the management cluster with lists alone; nothing is written to it, and its Secrets are not listed\n",
    );
    const objects = await liveFleet(client);
    if (!options.isReadingWorkloads) return { objects, workloads: given };
    return {
      objects,
      workloads: [...given, ...(await liveWorkloads(shell, { client, home }, { objects, change }))],
    };
  });
}

const NEEDS_CLUSTER =
  "--read-workloads needs the management cluster, and --from gives files; give --workload NAME=FILE for each workload cluster instead";

/** The pods of the Clusters that the change reaches, named before they are read. */
async function liveWorkloads(
  { err, env }: Shell,
  management: Parameters<typeof liveWorkload>[0],
  { objects, change }: { readonly objects: readonly GivenObject[]; readonly change: readonly GivenObject[] },
): Promise<readonly GivenWorkload[]> {
  const read: GivenWorkload[] = [];
  for (const access of workloadsOf(touchedPart(objects, change).objects)) {
    const { namespace, cluster } = access;
    err.write(
      `note: reading pods and disruption budgets of ${cluster} through Secret ${namespace}/${cluster}-kubeconfig\n`,
    );
    try {
      read.push({ ...access, ...readWorkload(await liveWorkload(management, access, env)) });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // The answer lists what is missing: one cluster out of reach is no reason to say nothing about the others.
      err.write(`note: pods of ${cluster} cannot be read: ${onOneLine(error.message)}\n`);
    }
  }
  return read;
}

/** The objects of dumps, in bounds: a dump of 10,000 machines has less. */
async function readFiles(shell: Shell, files: readonly string[]): Promise<readonly GivenObject[]> {
  const bytes = files
    .flatMap((file) => (file === "-" ? [] : manifestFiles(shell, file, "--from")))
    .reduce(
      (sum, file) =>
        sum + (statSync(resolve(shell.workingFolder, file), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  if (bytes > MOST_BYTES)
    throw new CommandError(
      `--from has ${size(bytes)}; at most ${size(MOST_BYTES)} can be rehearsed at once: leave out managedFields, or give fewer clusters`,
    );
  return readObjects(shell, files, "--from");
}

const MOST_BYTES = 50 * 1024 * 1024;

/** The dumps of workload clusters, by the name of their Cluster: `NAME=FILE` or `NAMESPACE/NAME=FILE`. */
async function readWorkloads(
  shell: Shell,
  given: readonly string[],
  namespace: string,
): Promise<readonly GivenWorkload[]> {
  const files = Map.groupBy(given, (text) => text.slice(0, Math.max(0, text.indexOf("="))));
  const read: GivenWorkload[] = [];
  for (const [name, texts] of files) {
    const [first = "", second] = name.split("/");
    if (first === "")
      throw new CommandError(
        `--workload ${JSON.stringify(texts[0])}: expected NAME=FILE, such as prod-1=prod-1.yaml`,
      );
    const objects = await readObjects(
      shell,
      texts.map((text) => text.slice(name.length + 1)),
      "--workload",
    );
    const place =
      second === undefined ? { namespace, cluster: first } : { namespace: first, cluster: second };
    const workload = readWorkload(objects);
    if (workload.objects.length === 0) throw new CommandError(`--workload ${texts.join(" ")} ${NO_PODS}`);
    read.push({ ...place, ...workload });
  }
  return read;
}

const NO_PODS =
  "has no pods; expected the output of: kubectl get deployments,statefulsets,replicasets,pods,poddisruptionbudgets -A -o json, on the workload cluster";

interface Question {
  readonly options: RehearseOptions;
  readonly objects: readonly GivenObject[];
  readonly change: readonly GivenObject[];
  readonly read: ReadFleet;
}

interface AnsweredQuestion extends Question {
  readonly durations: LearntDurations;
}

async function answerTo(shell: Shell, { options, objects, change, read }: Question): Promise<Answer> {
  const { firstSeed, seeds } = options;
  const faults = planIn(options.faults);
  const features = featuresOf(shell, options, [...objects, ...change]);
  const durations = durationsFrom(options, objects);
  const manifests = change.map(withSimulatedLogin);
  const tasks = Array.from({ length: seeds }, (_, index) => ({
    fleet: read.fleet,
    change: manifests,
    seed: String(firstSeed + index),
    faults,
    features,
    durations: durations.model,
    limitMs: options.limitMs,
  }));
  const results = await runSeeds(shell, tasks, (done) => {
    if (shell.err.isTerminal) shell.err.redraw(done < seeds ? `${done} of ${seeds} seeds` : "", "line");
  });
  return answerOf({ options, objects, change, read, durations }, results);
}

/** Durations of this fleet, where it shows them and the user does not want those of the table. */
function durationsFrom({ durations }: RehearseOptions, objects: readonly GivenObject[]): LearntDurations {
  return durations === "table" ? { model: TABLE_DURATIONS, lines: [] } : learntDurations(objects);
}

/** What all seeds say, with the names that users know. */
function answerOf(
  { options, objects, change, read, durations }: AnsweredQuestion,
  grown: readonly SeedResult[],
): Answer {
  const { firstSeed, seeds } = options;
  const results = withNamesOfDump(grown, read.names);
  const carriers = carriersOf(objects);
  const verdict = verdictOf(results, {
    noVerdictFor: ({ key, kind, isPaused }) =>
      isPaused ? PAUSED : (noVerdictFor(carriers, kind) ?? read.undecided.get(key)),
    changed: change.map(keyOf),
  });
  return {
    carrier: carriers.line,
    differences: differencesOf(carriers),
    applied: results[0]?.applied ?? [],
    verdict: { ...verdict, why: causesFirst(read, verdict) },
    exitCode: EXIT_CODES[verdict.outcome],
    durations: durations.model.source,
    learnt: durations.lines,
    seeds: seeds === 1 ? `seed ${firstSeed}` : `seeds ${firstSeed} to ${firstSeed + seeds - 1}`,
    assumptions: read.assumptions,
    midway: read.midway,
    ungrown: [...read.missing, ...(results[0]?.run.ungrown ?? [])],
    typical: typicalOf(results),
  };
}

/** What the dump lacks is the first cause of a fleet that does not grow. */
function causesFirst({ missing: [first] }: ReadFleet, { outcome, why, groups }: Verdict): string {
  const isUngrown = groups.some(({ noVerdict, group }) => noVerdict !== undefined && group.unfinishedBefore);
  return outcome === "no verdict" && isUngrown && first !== undefined ? `${first}; ${why}` : why;
}

const PAUSED = "it is paused, so no controller acts on it";

/** The table of docs/reference/exit-codes.md. */
const EXIT_CODES: Readonly<Record<Outcome, number>> = {
  "nothing is disrupted": EXIT.done,
  "disrupted within budgets": EXIT.disruptive,
  "would block or break a budget": EXIT.blocked,
  "no verdict": EXIT.noVerdict,
  refused: EXIT.failed,
};

function typicalOf(results: readonly SeedResult[]): SeedResult {
  const sorted = results.toSorted((one, other) => one.facts.durationMs - other.facts.durationMs);
  const typical = sorted[Math.floor((sorted.length - 1) / 2)];
  if (!typical) throw new TypeError("a rehearsal has at least one seed");
  return typical;
}

function placed(object: GivenObject, namespace: string): GivenObject {
  const { metadata } = object;
  return metadata.namespace === undefined ? { ...object, metadata: { ...metadata, namespace } } : object;
}

function planIn(text: string): FaultPlan {
  const reading = readFaultPlan(text);
  if ("plan" in reading) return reading.plan;
  throw new CommandError(reading.problems.map(formatProblem).join("\n"));
}

/** A fleet with updates in place runs with their gate on. */
function featuresOf(
  shell: Shell,
  { featureGates }: RehearseOptions,
  objects: readonly GivenObject[],
): Features {
  const text = JSON.stringify(objects.map(({ kind, spec }) => ({ kind, spec })));
  const isInPlace = /"kind":"ExtensionConfig"|"type":"(InPlace|ExternalUpdate)"/.test(text);
  const needed = FEATURE_NAMES.filter((name) => name === "InPlaceUpdates" && isInPlace).map(
    (name) => `${name}=true`,
  );
  return featuresFor(shell, featureGates, needed.join(","));
}

function printed(shell: Shell, answers: readonly NamedAnswer[], form: RehearseForm): string {
  const [first, second] = answers;
  if (form === "json") {
    const [answer, compared] = [first?.answer, second?.answer];
    return `${JSON.stringify(compared ? { ...answer, compared } : answer, undefined, 2)}\n`;
  }
  const parts = answers.map(({ title, answer }) => {
    const text = form === "markdown" ? markdownOf(answer) : textOf(answer);
    return answers.length === 1
      ? text
      : `${form === "markdown" ? `## ${codeSpan(title)}` : `== ${title}`}\n\n${text}`;
  });
  return form === "markdown" ? parts.join("\n") : forWindow(shell, parts.join("\n"), EMPHASIS);
}

/** A report that cannot be written is refused before the seeds, which may take minutes. */
function refuseReport({ workingFolder }: Shell, path: string): void {
  const place = resolve(workingFolder, path);
  const isFolder = (at: string): boolean => statSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder(place)) throw new CommandError(`--html ${path} cannot be written: it is a folder`);
  if (!isFolder(dirname(place)))
    throw new CommandError(`--html ${path} cannot be written: there is no folder ${dirname(place)}`);
}

/** Writes a report where the user wants it. */
function writeReport({ workingFolder }: Shell, path: string, text: string): void {
  try {
    writeFileSync(resolve(workingFolder, path), text, { mode: 0o644 });
  } catch (error) {
    throw new CommandError(`--html ${path} cannot be written: ${readProblem(error)}`);
  }
}
