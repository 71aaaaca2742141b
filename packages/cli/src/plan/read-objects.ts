import { readFileSync } from "node:fs";
import { isJsonObject } from "@capstan/api";
import { parseAllDocuments } from "yaml";
import { CommandError } from "../command-error.ts";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";

/** An object of any kind, as a file has it; nothing more of it has been looked at. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly [field: string]: unknown;
}

// The descriptor of standard input, which `-` stands for.
const STANDARD_INPUT = 0;

/** The objects of all files, in their order; `-` is standard input. */
export function readObjects(shell: Shell, files: readonly string[]): readonly GivenObject[] {
  return files.flatMap((file) =>
    file === "-"
      ? objectsIn(readFileSync(STANDARD_INPUT, "utf8"), "standard input")
      : objectsIn(readGivenFile(shell, file, "-f"), file),
  );
}

/** The objects of a text: documents of YAML, or JSON, each an object or a list of them as kubectl prints it. */
function objectsIn(text: string, origin: string): readonly GivenObject[] {
  return documentsIn(text, origin).flatMap((document) => flattened(document, origin));
}

function documentsIn(text: string, origin: string): readonly unknown[] {
  // JSON is YAML, too, but a parser that knows it is JSON reads a dump of a thousand machines in no time.
  if (/^\s*\{/.test(text)) {
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      // Several JSON documents, or YAML in braces: the other parser says what is wrong if it is neither.
    }
  }
  return parseAllDocuments(text).map((document) => {
    const [problem] = document.errors;
    if (problem) throw new CommandError(`${origin} is neither YAML nor JSON: ${problem.message.trim()}`);
    try {
      return document.toJS() as unknown;
    } catch (error) {
      throw new CommandError(`${origin} cannot be read: ${(error as Error).message}`);
    }
  });
}

function flattened(value: unknown, origin: string): readonly GivenObject[] {
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value)) {
    const found = JSON.stringify(value).slice(0, 60);
    throw new CommandError(`${origin} holds ${found} where a Kubernetes object was expected`);
  }
  const { apiVersion, kind, metadata, items } = value;
  if (Array.isArray(items) && isListKind(kind)) {
    return items.flatMap((item) => flattened(item, origin));
  }
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new CommandError(`${origin} holds an object without apiVersion or kind; both are needed`);
  }
  if (!isJsonObject(metadata) || typeof metadata["name"] !== "string") {
    throw new CommandError(`${origin} holds a ${kind} without metadata.name`);
  }
  return [value as unknown as GivenObject];
}

function isListKind(kind: unknown): boolean {
  return kind === undefined || (typeof kind === "string" && kind.endsWith("List"));
}
