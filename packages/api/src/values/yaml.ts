/**
 * Untrusted YAML: one document, as a plain JSON value.
 *
 * YAML can express much that JSON cannot, and a few lines of it can keep a parser busy for minutes. Here every text is
 * answered quickly, and ambiguous texts are refused.
 */
import {
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  parseAllDocuments,
  type ParsedNode,
  stringify,
  visit,
} from "yaml";
import { assignOwn } from "./deep-copy.ts";

/** A text that is not one document of JSON values; the message says why. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

// The parser is slow on large and deep texts; nothing that a user writes reaches either limit.
const LONGEST_TEXT = 32 * 1024;
const DEEPEST_NESTING = 64;
// Lines with growing indentation nest without brackets; this many fit into the longest text.
const DEEPEST_VALUE = 300;
const MOST_ALIASES = 32;

/** Parses a YAML or JSON text as a JSON value. Throws a YamlError if it is neither, or longer than the limit. */
export function parseYaml(text: string, longest = LONGEST_TEXT): unknown {
  refuseLarge(text, longest);
  return jsonOf(resolved(onlyDocument(text)), "", 0);
}

/** A manifest, and the keys that it sets more than once. */
export interface Manifest {
  readonly value: unknown;
  /** Each as a sentence: `line 8: key "size" already set in map`. The last value counts. */
  readonly duplicates: readonly string[];
}

/**
 * Parses a manifest as kube-apiserver does: the first document, in YAML 1.1, where `yes` is true. Throws a YamlError if
 * the text is not YAML, or long: larger manifests are sent as JSON.
 */
export function parseManifest(text: string): Manifest {
  refuseLarge(text, LONGEST_TEXT);
  const lineCounter = new LineCounter();
  const [document] = parseAllDocuments(text, {
    version: "1.1",
    // JSON has no dates: they stay texts.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !tag.tag.endsWith(":timestamp")),
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter,
  });
  if (!document) return { value: null, duplicates: [] };
  const [fault] = document.errors;
  if (fault) {
    const { line } = lineCounter.linePos(fault.pos[0]);
    throw new YamlError(`line ${line}: ${fault.message}`);
  }
  const duplicates = duplicateKeys(document, lineCounter);
  return { value: jsonOf(resolved(document), "", 0), duplicates };
}

function duplicateKeys(document: Document<ParsedNode>, lines: LineCounter): string[] {
  const found: { readonly at: number; readonly key: string }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (known.has(name)) found.push({ at: key.range?.[0] ?? 0, key: name });
        known.add(name);
      }
    },
  });
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ at, key }) => `line ${lines.linePos(at).line}: key ${JSON.stringify(key)} already set in map`);
}

/** Prints a JSON value as YAML, with sorted keys as Kubernetes does. */
export function yamlText(value: unknown): string {
  // YAML 1.1 parses words such as `no` as booleans, so they are quoted for its readers.
  return stringify(value, {
    sortMapEntries: true,
    version: "1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

function refuseLarge(text: string, longest: number): void {
  if (text.length > longest) {
    throw new YamlError(`must have at most ${longest} characters, not ${text.length}`);
  }
  if (isDeeperThan(DEEPEST_NESTING, text)) throw tooDeep(DEEPEST_NESTING);
}

function onlyDocument(text: string): Document {
  const lineCounter = new LineCounter();
  // The parser's own pretty messages contain excerpts, which are costly for a text with many errors.
  const options = {
    version: "1.2",
    schema: "core",
    stringKeys: true,
    prettyErrors: false,
    lineCounter,
  } as const;
  const [document, second] = parseAllDocuments(text, options);
  if (!document) throw new YamlError("must not be empty");
  if (second) throw new YamlError("must be one document, not several");
  const [fault] = [...document.errors, ...document.warnings];
  if (!fault) return document;
  const { line, col } = lineCounter.linePos(fault.pos[0]);
  throw new YamlError(`must be YAML or JSON: ${fault.message} at line ${line}, column ${col}`);
}

/**
 * Whether brackets, or dashes in one line, nest deeper than a limit. It scans only these characters, in linear time.
 */
export function isDeeperThan(limit: number, text: string): boolean {
  let brackets = 0;
  let inLine = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "{" || token === "[") brackets++;
    else if (token === "}" || token === "]") brackets--;
    else if (token === "-" || token === "?") inLine++;
    else if (token.endsWith("\n")) inLine = 0;
    if (brackets + inLine > limit) return true;
  }
  return false;
}

function resolved(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new YamlError(`must use aliases only of anchors before them, and few: ${error.message}`);
  }
}

/** A copy without shared parts, if the value is plain JSON. */
function jsonOf(value: unknown, path: string, depth: number): unknown {
  // An alias inside of its own anchor gives an infinite value.
  if (depth > DEEPEST_VALUE) throw tooDeep(DEEPEST_VALUE);
  if (Array.isArray(value)) return value.map((item, index) => jsonOf(item, `${path}[${index}]`, depth + 1));
  if (isPlainObject(value)) {
    const copy: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(value)) {
      const place = path === "" ? key : `${path}.${key}`;
      refuseNullByte(key, place);
      assignOwn(copy, key, jsonOf(field, place, depth + 1));
    }
    return copy;
  }
  return scalarOf(value, path);
}

function scalarOf(value: unknown, path: string): unknown {
  if (typeof value === "string") refuseNullByte(value, path);
  else if (
    typeof value === "number" ? !Number.isFinite(value) : typeof value === "object" && value !== null
  ) {
    throw new YamlError(`${path || "the document"} must be a value that JSON can say, not ${String(value)}`);
  }
  return value;
}

function refuseNullByte(text: string, path: string): void {
  if (text.includes("\0")) throw new YamlError(`${JSON.stringify(path)} must not hold a null byte`);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function tooDeep(limit: number): YamlError {
  return new YamlError(`must not nest deeper than ${limit} levels`);
}
