/**
 * The JSONPath of Kubernetes, as far as printer columns use it: fields, quoted fields, indexes, slices,
 * unions of indexes, wildcards, descent and filters with one comparison.
 */
import { parseFilter, type Filter } from "./json-path-filter.ts";

/** Finds the values at a path, in order; none if a field on the path is missing. */
export type JsonPath = (value: unknown) => readonly unknown[];

/** One step of a path: from a value to the values it leads to. */
type Step = (value: unknown) => readonly unknown[];

/** Compiles a path; undefined if it is not supported. */
export function compileJsonPath(path: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = path.startsWith("$") ? path.slice(1) : path;
  while (rest !== "") {
    const parsed = parseStep(rest);
    if (!parsed) return undefined;
    steps.push(...parsed.steps);
    rest = rest.slice(parsed.length);
  }
  return (value) => steps.reduce<readonly unknown[]>((found, step) => found.flatMap(step), [value]);
}

interface Parsed {
  readonly steps: readonly Step[];
  readonly length: number;
}

// A backslash escapes the next character, so that paths can have labels with dots.
const FIELD = /^\.((?:\\.|[^.,[\]{}\s$@\\])+)/;

function parseStep(text: string): Parsed | undefined {
  if (text.startsWith("[")) return parseBracket(text);
  if (text.startsWith("..")) return { steps: [descend], length: text[2] === "[" ? 2 : 1 };
  const found = FIELD.exec(text);
  if (!found) return undefined;
  const [{ length }, name = ""] = found;
  return { steps: [name === "*" ? children : field(name.replaceAll(/\\(.)/g, "$1"))], length };
}

function parseBracket(text: string): Parsed | undefined {
  const end = endOfBracket(text);
  if (end < 0) return undefined;
  const step = bracketStep(text.slice(1, end).trim());
  if (typeof step === "function") return { steps: [step], length: end + 1 };
  return step && { steps: step, length: end + 1 };
}

const QUOTED = /^'([^']*)'$|^"([^"]*)"$/;
const SLICE = /^(-?\d*):(-?\d*)(?::(\d+))?$/;
const INDEXES = /^-?\d+(?:\s*,\s*-?\d+)*$/;

function bracketStep(inside: string): Step | readonly Step[] | undefined {
  if (inside === "*") return children;
  if (inside.startsWith("?(") && inside.endsWith(")")) {
    const filter = parseFilter(inside.slice(2, -1), compileJsonPath);
    return filter && ((value) => filtered(value, filter));
  }
  const slice = SLICE.exec(inside);
  if (slice) return (value) => sliced(value, slice);
  if (INDEXES.test(inside))
    return (value) => inside.split(",").flatMap((index) => atIndex(value, Number(index)));
  const quoted = QUOTED.exec(inside);
  // Kubernetes parses a quoted text as a path of its own: a dot in a name needs a backslash here, too.
  return quoted ? quotedSteps(quoted[1] ?? quoted[2] ?? "") : undefined;
}

function quotedSteps(inside: string): readonly Step[] | undefined {
  const path = compileJsonPath(`.${inside}`);
  return path && [path];
}

/** Where a bracket closes; brackets in quotes and nested ones do not count. */
function endOfBracket(text: string): number {
  let depth = 0;
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === "[") depth++;
    else if (character === "]" && --depth === 0) return index;
  }
  return -1;
}

function field(name: string): Step {
  return (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
      ? [(value as Record<string, unknown>)[name]]
      : [];
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, child]) => child as unknown);
}

function descend(value: unknown): readonly unknown[] {
  return [value, ...children(value).flatMap(descend)];
}

function atIndex(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const position = index < 0 ? value.length + index : index;
  return position in value ? [value[position]] : [];
}

function sliced(value: unknown, [, from, to, step]: readonly (string | undefined)[]): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const start = from ? Number(from) : 0;
  const end = to ? Number(to) : value.length;
  const every = Math.max(Number(step ?? 1), 1);
  return value.slice(start, end).filter((_, index) => index % every === 0);
}

function filtered(value: unknown, filter: Filter): readonly unknown[] {
  return Array.isArray(value) ? value.filter(filter) : [];
}
