import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  failureReport,
  type FaultPlan,
  formatProblem,
  MACHINE_POOL_INVARIANTS,
  nodeHistories,
  NODE_IMAGE_INVARIANTS,
  readFaultPlan,
  readScenario,
  runScenario,
  type Scenario,
  type ScenarioRun,
  shortStory,
  storyOf,
  storyText,
  summaryOf,
  summaryText,
  verdictText,
} from "@capstan/sim";
import { CommandError } from "../command-error.ts";
import { isBinary, readGivenFile } from "../given-file.ts";
import { simulatedControllers } from "../controllers/simulated-controllers.ts";
import { featuresFor } from "../data-directory/feature-gates.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../render/amounts.ts";
import { type Emphasis, forWindow } from "../render/emphasis.ts";
import type { Shell } from "../shell.ts";

/** Which scenario, and how. */
export interface SimRunOptions {
  readonly file: string;
  /** Overrides the scenario's own. */
  readonly seed?: string;
  /** Overrides the scenario's own: `none`, `swarm`, or a list. */
  readonly faults?: string;
  readonly output: "story" | "json";
  /** Prints every condition, and every counter of the summary. */
  readonly isVerbose?: boolean;
}

/** `capstan sim run`: rehearses a scenario in a world of its own, in virtual time. */
export async function simRun(shell: Shell, options: SimRunOptions): Promise<number> {
  const { file, output, isVerbose = false } = options;
  const scenario = scenarioIn(shell, file);
  const seed = options.seed ?? scenario.seed;
  const faults = options.faults === undefined ? scenario.faults : planIn(options.faults);
  const features = featuresFor(shell, undefined);
  const progress = progressOn(shell);
  const run = await runScenario({
    scenario,
    seed,
    faults,
    controllers: simulatedControllers,
    features,
    invariants: [...MACHINE_POOL_INVARIANTS, ...NODE_IMAGE_INVARIANTS],
    onEvent: progress.saw,
  });
  progress.end();
  const command = commandFor({ ...options, seed });
  shell.out.write(output === "json" ? jsonOf(run, command) : textOf(shell, run, { command, isVerbose }));
  return run.failure ? EXIT.failed : EXIT.done;
}

function scenarioIn(shell: Shell, file: string): Scenario {
  const reading = readScenario(file, (path) => {
    const found = statSync(resolve(shell.workingFolder, path), { throwIfNoEntry: false });
    if (found?.isDirectory()) throw unreadable(`${path}:1:1: is a folder; give a file`);
    // A scenario may come from others, and name files without an end.
    const text = found && readGivenFile(shell, path, "the file");
    if (text !== undefined && isBinary(text))
      throw unreadable(`${path}:1:1: is not text in UTF-8; a scenario is YAML`);
    return text;
  });
  if ("scenario" in reading) return reading.scenario;
  throw unreadable(reading.problems.map(formatProblem).join("\n"));
}

const unreadable = (problems: string): CommandError =>
  new CommandError(`the scenario cannot be run:\n${problems}`);

function planIn(text: string): FaultPlan {
  const reading = readFaultPlan(text);
  if ("plan" in reading) return reading.plan;
  throw new CommandError(reading.problems.map(formatProblem).join("\n"));
}

/** The command that repeats exactly this run. */
function commandFor({ file, seed, faults }: SimRunOptions): string {
  const given = faults === undefined ? "" : ` --faults ${quoted(faults)}`;
  return `npx capstan sim run ${quoted(file)} --seed ${quoted(seed ?? "")}${given}`;
}

function textOf(
  shell: Shell,
  run: ScenarioRun,
  { command, isVerbose }: { readonly command: string; readonly isVerbose: boolean },
): string {
  const { events, facts, failure } = run;
  const parts = [
    storyText(storyOf(isVerbose ? events : shortStory(events))),
    summaryText(summaryOf(events, facts), { isShort: !isVerbose }),
    ...(failure ? [failureReport({ invariant: failure, events, command })] : []),
    verdictText(run),
  ];
  return forWindow(shell, parts.join("\n"), EMPHASIS);
}

const EMPHASIS: Emphasis = [
  [/^PASSED/, "good"],
  [/^FAILED/, "bad"],
  [/^[\d:]+ {2}user /, "strong"],
  [/ does not hold: /, "bad"],
];

function jsonOf({ events, facts, failure }: ScenarioRun, command: string): string {
  const answer = {
    summary: summaryOf(events, facts),
    story: storyOf(events),
    nodes: nodeHistories(events),
    ...(failure && { failure }),
    command,
  };
  return `${JSON.stringify(answer, undefined, 2)}\n`;
}

// Often enough to show progress, rarely enough to cost nothing.
const EVENTS_PER_LINE = 500;

/** Shows the progress of the run on a terminal; pipes and files get no progress. */
function progressOn({ err }: Shell): {
  readonly saw: (event: { readonly atMs: number }) => void;
  end(): void;
} {
  let events = 0;
  return {
    saw: ({ atMs }) => {
      if (!err.isTerminal || ++events % EVENTS_PER_LINE !== 0) return;
      err.redraw(`${events} events, ${Math.floor(atMs / 60_000)} virtual minutes`, "line");
    },
    end: () => {
      if (err.isTerminal && events >= EVENTS_PER_LINE) err.redraw("", "line");
    },
  };
}
