import { parseAllDocuments } from "yaml";
import { CommandError } from "../command-error.ts";
import { isBinary } from "../given-file.ts";
import { parseProblem } from "../plan/read/parse-problem.ts";
import { size } from "../render/amounts.ts";
import { type ConvertedDocument, convertDocument, READING } from "./convert-document.ts";
import type { Target } from "./target.ts";

/** A text of manifests, and where it is from. */
export interface Manifests {
  /** How messages refer to it. */
  readonly origin: string;
  readonly text: string;
}

/** Converted manifests. */
export interface ConvertedText {
  readonly text: string;
  /** How many objects were converted. */
  readonly count: number;
  /** What a user should know, each as a sentence with its origin. */
  readonly warnings: readonly string[];
}

// The parser takes seconds for each megabyte, and all manifests of a large fleet are smaller.
const LARGEST = 16 * 1024 * 1024;
// It compares each key of a map with all others; a text as large as that is a dump of kubectl, which repeats none.
const LARGE = 1024 * 1024;

/** Converts the objects of a text, and keeps all of the rest: other documents, comments, the order of fields. */
export function convertText({ origin, text }: Manifests, to: Target): ConvertedText {
  if (text.length > LARGEST)
    throw new CommandError(
      `${origin} has ${size(text.length)}, and at most ${size(LARGEST)} are converted at once; split it`,
    );
  if (isBinary(text))
    throw new CommandError(`${origin} is not text in UTF-8; expected manifests in YAML or JSON`);
  let line = 0;
  const warnings: string[] = [];
  const documents = documentsOf({ origin, text }).map(({ source, value }) => {
    const converted = named(origin, () => convertDocument(source, value, to));
    warnings.push(...warningsOf(converted, { origin, line }));
    line += source.split("\n").length - 1;
    return converted;
  });
  return {
    text: documents.map((one) => one.text).join(""),
    count: documents.reduce((sum, one) => sum + one.converted.length, 0),
    warnings,
  };
}

/** Names the file in errors about its objects. */
function named<T>(origin: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof CommandError) throw new CommandError(`${origin}: ${error.message}`);
    throw error;
  }
}

interface Source {
  readonly source: string;
  readonly value: unknown;
}

/** The documents of a text. Their sources, one after the other, are the text. */
function documentsOf({ origin, text }: Manifests): readonly Source[] {
  const whole = jsonOf(text);
  if (whole !== undefined) return [{ source: text, value: whole }];
  try {
    const documents = parseAllDocuments(text, { ...READING, uniqueKeys: text.length < LARGE });
    // A text of comments alone has no document.
    if (documents.length === 0) return [{ source: text, value: undefined }];
    let start = 0;
    return documents.map((document, index) => {
      const [problem] = document.errors;
      if (problem) throw parseProblem({ origin, text }, problem);
      const end = index === documents.length - 1 ? text.length : document.range[2];
      const source = text.slice(start, end);
      start = end;
      return { source, value: document.toJS() as unknown };
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // An alias without an anchor, or an expansion beyond the parser's limit.
    throw new CommandError(`${origin} cannot be read: ${(error as Error).message}`);
  }
}

/** The JSON parser reads a dump of a thousand machines far faster than the YAML parser. */
function jsonOf(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function warningsOf(
  { converted, unknown, lostComments, hasWrittenOut }: ConvertedDocument,
  { origin, line }: { readonly origin: string; readonly line: number },
): readonly string[] {
  return [
    ...converted.flatMap(({ title, warnings }) => warnings.map((one) => `${origin}: ${title}: ${one}`)),
    ...unknown.map((title) => `${origin}: ${title}: is left as it is, because its kind is not known`),
    ...lostComments.map(
      (lost) => `${origin}:${line + lost.line}: the comment "# ${lost.comment}" is lost with its field`,
    ),
    ...(hasWrittenOut
      ? [`${origin}: aliases are written out, because the fields that share them differ in the other version`]
      : []),
  ];
}
