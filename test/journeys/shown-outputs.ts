/** Compares the outputs that pages of the documentation show with those that their commands print. */
import { type Block, blocksOf } from "./shown-commands.ts";

/** A block of commands that a journey runs, and the output that the page shows below it. */
export interface Step {
  readonly commands: string;
  readonly shown?: Block;
}

/** The blocks of a page that are marked `sh`, in order. */
export function stepsOf(page: string): readonly Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ kind, language, text }, index) => {
    if (kind !== "commands" || language !== "sh") return [];
    const next = blocks[index + 1];
    return [{ commands: text, ...(next?.kind === "output" && { shown: next }) }];
  });
}

const STEP = "--- the next step of the page ---";

/** A script that runs the steps in one shell, so that variables stay, and tells their outputs apart. */
export function scriptOf(steps: readonly Step[]): string {
  return ["exec 2>&1", ...steps.map(({ commands }) => `echo '${STEP}'\n${commands}`)].join("\n");
}

/** The output of each step of such a script. */
export function outputsOf(printed: string): readonly string[] {
  return printed.split(`${STEP}\n`).slice(1);
}

/** A sentence for each output of the page that is not what its commands have printed. */
export function staleOutputs(page: string, steps: readonly Step[], printed: string): readonly string[] {
  const outputs = outputsOf(printed);
  return steps.flatMap(({ shown }, index) => {
    const stale = shown && staleOutput(page, shown, outputs[index] ?? "");
    return stale === undefined ? [] : [stale];
  });
}

/** How a shown output differs from the real one; undefined if it does not. */
export function staleOutput(page: string, { text, line }: Block, real: string): string | undefined {
  const [shownLines, realLines] = [linesOf(text), linesOf(real)];
  const report = (at: number, printed: string): string =>
    `${page}:${line + at} shows\n- ${shownLines[at] ?? "nothing more"}\n+ ${printed}\nand all of the output is\n${real}`;
  const unknown = shownLines.findIndex((one) => isUnknownProgress(one, realLines));
  if (unknown >= 0) return report(unknown, "no such progress");
  const rest = shownLines.map((one, at) => ({ one, at })).filter(({ one }) => !isProgress(one));
  const difference = firstDifference(
    rest.map(({ one }) => normalized(one)),
    realLines.filter((one) => !isProgress(one)).map(normalized),
  );
  return difference && report(rest[difference.at]?.at ?? shownLines.length, difference.printed);
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");

interface Difference {
  /** The shown line that does not fit. */
  readonly at: number;
  readonly printed: string;
}

/** The first shown line that is not the printed one; `…` stands for any number of lines. */
function firstDifference(shown: readonly string[], real: readonly string[]): Difference | undefined {
  const [first, ...more] = shown;
  if (first?.trim() === "…") return later(differenceAfterAny(more, real));
  const [printed] = real;
  if (first === undefined && printed === undefined) return undefined;
  if (first !== printed) return { at: 0, printed: printed ?? "nothing more" };
  return later(firstDifference(more, real.slice(1)));
}

/** The lines that were left out are as many as needed; if no number fits, the one that comes furthest tells the difference. */
function differenceAfterAny(shown: readonly string[], real: readonly string[]): Difference | undefined {
  if (shown.length === 0) return undefined;
  const differences: Difference[] = [];
  for (let skipped = 0; skipped <= real.length; skipped += 1) {
    const difference = firstDifference(shown, real.slice(skipped));
    if (!difference) return undefined;
    differences.push(difference);
  }
  return differences.reduce((furthest, one) => (one.at > furthest.at ? one : furthest));
}

const later = (difference: Difference | undefined): Difference | undefined =>
  difference && { ...difference, at: difference.at + 1 };

/** How far a rollout is: how many such lines a command prints, and with which numbers, depends on the speed of the machine. */
const PROGRESS = /^((Waiting for \S+ \S+|blocked, \w+): |took \S+).*/;
const isProgress = (line: string): boolean => PROGRESS.test(line);

/** A shown line of progress about another object than the real ones are about. */
function isUnknownProgress(shown: string, real: readonly string[]): boolean {
  const about = (line: string): string | undefined => PROGRESS.exec(line)?.[1];
  const progress = real.filter(isProgress);
  return isProgress(shown) && progress.length > 0 && !progress.some((line) => about(line) === about(shown));
}

/** What differs between two runs, and the word that stands for it; the order matters. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID"],
  [/(?<![0-9a-z])20\d{6}\.\d+\.\d+/g, "VERSION"],
  [/(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{8,64}(?![0-9a-z])/g, "HASH"],
  // The alphabet of random names has no vowels.
  [/(?:-[bcdfghjklmnpqrstvwxz2456789]{5,10})+(?![0-9a-z])/g, "-RANDOM"],
  // Instances and their nodes: which number is next depends on the pages that were read before.
  [/(?<=[a-z])0000[0-9a-z]{2}(?![0-9a-z])/g, "NODE"],
  [/(?<=[a-z]-)\d+(?![0-9a-z.])/g, "NUMBER"],
  [/(?<![0-9a-z.])(?:\d+[dhms])+(?![0-9a-z])/g, "AGE"],
  // Of the scheduler: every change of a controller changes them.
  [/(?<=\bsteps? +)\d+/g, "STEPS"],
  [/(?<![0-9a-z.])\d+(?= s(?![a-z]))/g, "SECONDS"],
  // Newer kubectls name the namespace.
  [/(?<=" deleted) from \S+ namespace$/g, ""],
  [/(?<=127\.0\.0\.1:)\d+/g, "PORT"],
  // How many pods run on a machine depends on the scheduler.
  [/(; pod \S+-RANDOM is not evicted: [^;]*)\1+/g, "$1"],
  [/pods? (\S+-RANDOM)(?:, \1)*/g, "pods $1"],
  // Columns are as wide as their values.
  [/ +/g, " "],
];

function normalized(line: string): string {
  return VARYING.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line).trimEnd();
}
