import { posix } from "node:path";
import { endClaims } from "./claims.ts";
import type { FaultPlan } from "./fault-plan.ts";
import { isMap, type Place } from "./located-yaml.ts";
import type { Position, Problem } from "./problem.ts";
import {
  documentsIn,
  duration,
  fields,
  listOf,
  type Mention,
  type OpenedFile,
  type Reader,
  type Reading,
  shown,
  text,
} from "./reader.ts";
import { danglingReferences } from "./references.ts";
import type { Scenario } from "./scenario.ts";
import { mergedWorlds, scenarioWorld } from "./scenario-world.ts";
import { faultText, step } from "./step-readers.ts";

/** The text of a file; undefined when it cannot be read. */
export type ReadFile = (path: string) => string | undefined;

/** A parsed scenario, or all its problems. */
export type ScenarioReading = { readonly scenario: Scenario } | { readonly problems: readonly Problem[] };

const DEFAULT_LIMIT_MS = 2 * 3_600_000;
// The first problems cause the later ones; more than a screen of them is not readable.
const MOST_PROBLEMS = 50;
const MOST_FILES = 100;

/** Parses a scenario with its includes. It does not throw: the result has the list of problems. */
export function readScenario(path: string, readFile: ReadFile): ScenarioReading {
  const mentions: Mention[] = [];
  const problems: Problem[] = [];
  const library: Library = {
    readFile,
    seen: new Set(),
    reading: {
      report: ({ at, field }, message) => void problems.push({ at, field, message }),
      open: (place, name) => openFile(library, place, name),
      mention: (mention) => void mentions.push(mention),
    },
  };
  const file = posix.normalize(path);
  const content = readFile(file);
  if (content === undefined) {
    return { problems: [{ at: startOf(file), field: "", message: "the file does not exist" }] };
  }
  const read = readPart(library, { file, text: content }, []);
  if (read && problems.length === 0) problems.push(...danglingReferences(mentions, read.world));
  if (!read || problems.length > 0) return { problems: problems.slice(0, MOST_PROBLEMS) };
  return { scenario: { name: posix.parse(file).name, file, seed: "1", limitMs: DEFAULT_LIMIT_MS, ...read } };
}

interface Library {
  readonly readFile: ReadFile;
  /** Files whose steps are in the scenario already: a file that two others include counts once. */
  readonly seen: Set<string>;
  readonly reading: Reading;
}

/** A file of a scenario with its includes; missing fields take the defaults. */
type Part = Pick<Scenario, "world" | "faults" | "steps" | "expect"> &
  Partial<Pick<Scenario, "name" | "description" | "seed" | "limitMs">>;

const seed: Reader<string> = (place, { report }) => {
  const { value } = place;
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return String(value);
  report(place, `${shown(place)}: must be a whole number from 0 on, or a text`);
  return undefined;
};

const faults: Reader<FaultPlan> = (place, reading) => {
  if (place.value === "swarm") return "swarm";
  if (Array.isArray(place.value)) return listOf(faultText)(place, reading);
  reading.report(place, `${shown(place)}: must be a list of faults, or swarm`);
  return undefined;
};

/** The fields of a scenario; `include` is parsed first, because its steps come first. */
const part = fields(
  {},
  {
    name: text("a name for people"),
    description: text("a text"),
    include: (): true => true,
    seed,
    limit: duration,
    world: scenarioWorld,
    faults,
    steps: listOf(step),
    expect: listOf(endClaims),
  },
);

function readPart(library: Library, opened: OpenedFile, chain: readonly string[]): Part | undefined {
  const { reading, seen } = library;
  seen.add(opened.file);
  const document = onlyDocument(opened, reading);
  if (!document) return undefined;
  const include = isMap(document.value) ? document.value.get("include") : undefined;
  const included = include ? readIncludes(library, include.place, [...chain, opened.file]) : [];
  const own = part(document, reading);
  if (!own || !included) return undefined;
  const { include: _, limit, ...rest } = own;
  const steps = [...included.flatMap((inner) => inner.steps), ...(own.steps ?? [])];
  if (steps.length === 0) reading.report(document, "there are no steps; a scenario has at least one");
  const world = [...included, own].map((one) => one.world ?? {}).reduce(mergedWorlds);
  return { faults: [], expect: [], ...rest, ...(limit !== undefined && { limitMs: limit }), steps, world };
}

function onlyDocument(opened: OpenedFile, reading: Reading): Place | undefined {
  const documents = documentsIn(opened, reading);
  if (!documents) return undefined;
  const [document, second] = documents;
  if (document && isManifest(document)) {
    reading.report(document, MANIFEST);
    return undefined;
  }
  if (document && !second) return document;
  if (second) reading.report(second, "must be one document; leave out the line with ---");
  else reading.report({ at: startOf(opened.file), field: "" }, "is empty; a scenario has steps");
  return undefined;
}

const MANIFEST =
  "is a manifest of Kubernetes, not a scenario; capstan plan -f shows what applying it would do";

function isManifest({ value }: Place): boolean {
  return isMap(value) && value.has("apiVersion") && value.has("kind");
}

function readIncludes(
  library: Library,
  includes: Place,
  chain: readonly string[],
): readonly Part[] | undefined {
  const { reading, seen } = library;
  const parts: Part[] = [];
  const include: Reader<true> = (place) => {
    const name = text("the path of a scenario")(place, reading);
    const file = name === undefined ? undefined : pathBeside(place.at, name);
    if (file === undefined || name === undefined) return undefined;
    if (chain.includes(file)) {
      const circle = [...chain.slice(chain.indexOf(file)), file].join(" includes ");
      reading.report(place, `${shown(place)}: goes in a circle: ${circle}; leave one of them out`);
      return undefined;
    }
    if (seen.has(file)) return true;
    if (seen.size >= MOST_FILES) {
      reading.report(place, `${shown(place)}: a scenario has at most ${MOST_FILES} files`);
      return undefined;
    }
    const opened = reading.open(place, name);
    const inner = opened && readPart(library, opened, chain);
    if (inner) parts.push(inner);
    return inner && true;
  };
  return listOf(include)(includes, reading) && parts;
}

function openFile({ readFile, reading }: Library, place: Place, name: string): OpenedFile | undefined {
  const file = pathBeside(place.at, name);
  const content = readFile(file);
  if (content !== undefined) return { file, text: content };
  reading.report(
    place,
    `${shown(place)}: file ${file} does not exist; paths start at the folder of this file`,
  );
  return undefined;
}

function pathBeside({ file }: Position, name: string): string {
  return posix.isAbsolute(name) ? posix.normalize(name) : posix.join(posix.dirname(file), name);
}

function startOf(file: string): Position {
  return { file, line: 1, column: 1 };
}
