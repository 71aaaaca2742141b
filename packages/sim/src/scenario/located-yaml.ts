/** YAML whose values know their positions, so that a problem can point at its place. */
import { assignOwn, isDeeperThan } from "@capstan/api";
import {
  type Alias,
  type Document,
  isAlias,
  isMap as isYamlMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from "yaml";
import type { Position, Problem } from "./problem.ts";

/** A value of a file with its position. */
export interface Place {
  readonly at: Position;
  /** The path to it, such as `steps[2].resize.to`; empty for the whole document. */
  readonly field: string;
  readonly value: Scalar | readonly Place[] | ReadonlyMap<string, Entry>;
}

/** A field of a map: the position of its name, and its value. */
export interface Entry {
  readonly key: Position;
  readonly place: Place;
}

type Scalar = string | number | boolean | null;

/** The documents of a text, or why it cannot be parsed. */
export type LocatedYaml =
  | { readonly documents: readonly Place[] }
  | { readonly problems: readonly Problem[] };

// The parser is slow on large and deep texts; hand-written files stay far below these limits.
const LONGEST_TEXT = 128 * 1024;
const DEEPEST_NESTING = 64;
// Nested aliases can make a short text expand without limit, so their expansions are counted.
const MOST_ALIASES = 32;
const MOST_PARSER_PROBLEMS = 5;

/** Parses YAML. It does not throw: errors are returned as problems. */
export function locateYaml(file: string, text: string): LocatedYaml {
  const start: Position = { file, line: 1, column: 1 };
  const whole = (message: string): LocatedYaml => ({ problems: [{ at: start, field: "", message }] });
  if (text.length > LONGEST_TEXT) {
    return whole(`${text.length} characters: must have at most ${LONGEST_TEXT}`);
  }
  if (isDeeperThan(DEEPEST_NESTING, text))
    return whole(`must not nest deeper than ${DEEPEST_NESTING} levels`);
  const lineCounter = new LineCounter();
  // The parser compares each name with all others; this map does it in linear time.
  const options = {
    version: "1.2",
    schema: "core",
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
  } as const;
  const documents = [...parseAllDocuments(text, { ...options, lineCounter })];
  const locate = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (faults.length > 0) {
    const problems = faults
      .slice(0, MOST_PARSER_PROBLEMS)
      .map(({ pos, message }) => ({ at: locate(pos[0]), field: "", message: `must be YAML: ${message}` }));
    return { problems };
  }
  return placesOf(documents, locate);
}

/** The JSON value of a place, without positions. */
export function jsonOf({ value }: Place): unknown {
  if (isList(value)) return value.map(jsonOf);
  if (!isMap(value)) return value;
  const json: Record<string, unknown> = {};
  for (const [key, { place }] of value) assignOwn(json, key, jsonOf(place));
  return json;
}

/** Whether the value of a place is a list. */
export function isList(value: Place["value"]): value is readonly Place[] {
  return Array.isArray(value);
}

/** Whether the value of a place is a map. */
export function isMap(value: Place["value"]): value is ReadonlyMap<string, Entry> {
  return value instanceof Map;
}

/** Aborts the placement of a value; caught in this file. */
class UnplacedError extends Error {
  override readonly name = "UnplacedError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

function placesOf(documents: readonly Document[], locate: (offset: number) => Position): LocatedYaml {
  try {
    const places = documents.map((document) => {
      const walk: Walk = { document, locate, aliasesLeft: MOST_ALIASES };
      return placeOf(walk, document.contents, { at: locate(document.range?.[0] ?? 0), field: "", depth: 0 });
    });
    return { documents: places };
  } catch (error) {
    if (error instanceof UnplacedError) return { problems: [error.problem] };
    throw error;
  }
}

interface Walk {
  readonly document: Document;
  readonly locate: (offset: number) => Position;
  aliasesLeft: number;
}

/** The position of a value, from its surroundings. */
interface Spot {
  readonly at: Position;
  readonly field: string;
  readonly depth: number;
}

function placeOf(walk: Walk, node: Node | null, around: Spot): Place {
  const spot = { ...around, at: node?.range && !isEmpty(node) ? walk.locate(node.range[0]) : around.at };
  const { at, field, depth } = spot;
  if (depth > DEEPEST_NESTING) refuse(spot, `must not nest deeper than ${DEEPEST_NESTING} levels`);
  if (isAlias(node)) return aliasOf(walk, node, spot);
  if (isSeq<Node>(node)) {
    const inside = (item: Node | null, index: number): Place =>
      placeOf(walk, item, { at, field: `${field}[${index}]`, depth: depth + 1 });
    return { at, field, value: node.items.map(inside) };
  }
  if (isYamlMap<Node, Node | null>(node)) return { at, field, value: entriesOf(walk, node.items, spot) };
  return { at, field, value: isScalar(node) ? scalarOf(node.value, spot) : null };
}

/** The value of the anchor, at the position of its alias. */
function aliasOf(walk: Walk, alias: Alias, spot: Spot): Place {
  if (walk.aliasesLeft-- <= 0) refuse(spot, `must have at most ${MOST_ALIASES} aliases`);
  const anchor = alias.resolve(walk.document);
  if (!anchor) return refuse(spot, `*${alias.source}: must be the alias of an anchor before it`);
  return { ...placeOf(walk, anchor, { ...spot, depth: spot.depth + 1 }), at: spot.at };
}

function scalarOf(value: unknown, spot: Spot): Scalar {
  if (typeof value === "number" && !Number.isFinite(value)) {
    refuse(spot, `${value}: must be a number that JSON can say`);
  }
  return value as Scalar;
}

function entriesOf(
  walk: Walk,
  pairs: readonly { readonly key: Node; readonly value: Node | null }[],
  { field, depth }: Spot,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const { key, value } of pairs) {
    const name = isScalar(key) ? String(key.value) : "";
    const at = walk.locate(key.range?.[0] ?? 0);
    const inside = { at, field: field === "" ? name : `${field}.${name}`, depth: depth + 1 };
    if (entries.has(name)) refuse(inside, "is there twice; leave one of them out");
    entries.set(name, { key: at, place: placeOf(walk, value, inside) });
  }
  return entries;
}

/** An omitted value has a range behind its name, perhaps on the next line; the name is the better position. */
function isEmpty(node: Node): boolean {
  return isScalar(node) && node.source === "";
}

function refuse({ at, field }: Spot, message: string): never {
  throw new UnplacedError({ at, field, message });
}
