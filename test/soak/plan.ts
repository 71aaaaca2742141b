import { parseArgs } from "node:util";

/** How long a soak goes on, and where its fresh seeds begin. */
export interface SoakOptions {
  /** Undefined: until every proof has run once; then there are no fresh storms. */
  readonly minutes: number | undefined;
  readonly seedFrom: number;
  /** The file with what earlier runs have proved; it grows with each file that passes. */
  readonly resume: string | undefined;
}

/** One run of vitest. */
export interface Unit {
  readonly project: "unit" | "deep" | "kube";
  readonly file: string;
  /** Fresh seeds instead of the file's own, from the first to the last. */
  readonly seeds?: readonly [first: number, last: number];
}

// Above every seed that a file of storms has itself.
const FIRST_FRESH_SEED = 10_001;

/** Reads the arguments of `npm run soak`; throws an error whose message says what is wrong. */
export function parseOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: "string" }, "seed-from": { type: "string" }, resume: { type: "string" } },
  });
  const { minutes, "seed-from": seedFrom, resume } = values;
  if (resume === "") throw new Error("--resume needs the path of a file; one that does not exist is created");
  if (minutes === undefined && seedFrom !== undefined)
    throw new Error("--seed-from needs --minutes: fresh storms run until the minutes are over");
  return {
    minutes: minutes === undefined ? undefined : parsePositive("--minutes", minutes),
    seedFrom: seedFrom === undefined ? FIRST_FRESH_SEED : parsePositive("--seed-from", seedFrom),
    resume,
  };
}

function parsePositive(flag: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value === 0) throw new Error(`${flag} ${text}: expected a whole number above 0`);
  return value;
}

/** Files whose proofs take minutes. They come last, so that a short soak reaches all the others. */
const LONG = /storm(-too)?\.deep\.ts$/;

/** The files of a soak. */
export interface SoakFiles {
  /** Files of `npm test` that take samples there. */
  readonly sampled: readonly string[];
  readonly deep: readonly string[];
  readonly kube: readonly string[];
}

/** Every file once: files that compute and files that wait for servers in turns, so that two at a time use both cores. */
export function exhaustiveUnits(files: SoakFiles): readonly Unit[] {
  const unitsIn = (project: Unit["project"], paths: readonly string[]): readonly Unit[] =>
    paths.map((file) => ({ project, file }));
  const deep = unitsIn("deep", files.deep);
  const kube = unitsIn("kube", files.kube);
  const short = [...unitsIn("unit", files.sampled), ...deep.filter(({ file }) => !LONG.test(file))];
  const turns = Array.from({ length: Math.max(short.length, kube.length) }, (_, index) =>
    [short[index], kube[index]].filter((unit) => unit !== undefined),
  );
  return [...turns.flat(), ...deep.filter(({ file }) => LONG.test(file))];
}

/** Files of storms that take fresh seeds, and how many of their storms take about a quarter of a minute. */
const STORMS = [
  { file: "test/world/azuremachinepool/storm.deep.ts", count: 25 },
  { file: "test/world/fleet/swarm.deep.ts", count: 10 },
];

/** Endless storms with fresh seeds, of pools and of clusters in turns. */
export function* freshStorms(seedFrom: number): Generator<Unit, never> {
  for (let round = 0; ; round++) {
    for (const { file, count } of STORMS) {
      const first = seedFrom + round * count;
      yield { project: "deep", file, seeds: [first, first + count - 1] };
    }
  }
}

/** Fresh storms after so many files, so that a soak which ends early has had some. */
const FILES_PER_FRESH = 4;

/** What a soak runs, in this order: every file once; with a time limit also fresh storms, without end. */
export function* unitsOf({ minutes, seedFrom }: SoakOptions, exhaustive: readonly Unit[]): Generator<Unit> {
  const fresh = freshStorms(seedFrom);
  for (const [index, unit] of exhaustive.entries()) {
    yield unit;
    if (minutes !== undefined && index % FILES_PER_FRESH === FILES_PER_FRESH - 1) yield fresh.next().value;
  }
  if (minutes !== undefined) yield* fresh;
}

/** The environment variables of a unit. */
export function variablesOf({ seeds }: Unit): Readonly<Record<string, string>> {
  return seeds ? { CAPSTAN_SEEDS: seeds.join("-") } : { CAPSTAN_PROOFS: "all" };
}

/** A unit as a command that runs it again. */
export function commandOf(unit: Unit): string {
  const variables = Object.entries(variablesOf(unit)).map(([name, value]) => `${name}=${value}`);
  return `${variables.join(" ")} npx vitest run --project ${unit.project} ${unit.file}`;
}
