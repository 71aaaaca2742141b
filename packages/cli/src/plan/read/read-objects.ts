import { inStoredVersion, isJsonObject, type JsonObject } from "@capstan/api";
import { parseAllDocuments } from "yaml";
import { CommandError } from "../../command-error.ts";
import { isBinary, manifestFiles, readGivenFile, readStandardInput } from "../../given-file.ts";
import { size } from "../../render/amounts.ts";
import { parseProblem } from "./parse-problem.ts";
import type { Shell } from "../../shell.ts";

/** An object of any kind from a file; only these fields have been checked. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly [field: string]: unknown;
}

/** The objects of all files, in order; `-` is standard input, and a folder stands for the files in it. */
export async function readObjects(
  shell: Shell,
  files: readonly string[],
  flag = "-f",
): Promise<readonly GivenObject[]> {
  const objectsOf = (text: string, origin: string): readonly GivenObject[] => {
    if (text.length >= LARGE && !isJson(text))
      shell.err.write(`note: reading ${size(text.length)} of YAML; kubectl get -o json is read far faster\n`);
    return objectsIn(text, origin);
  };
  const objects: GivenObject[] = [];
  for (const file of files) {
    if (file === "-") objects.push(...objectsOf(await readStandardInput(), "standard input"));
    else
      for (const path of manifestFiles(shell, file, flag))
        objects.push(...objectsOf(readGivenFile(shell, path, flag), path));
  }
  return objects;
}

/** The objects of a text: YAML documents, or JSON, each an object or a list of them as kubectl prints it. */
export function objectsIn(text: string, origin: string): readonly GivenObject[] {
  return documentsIn(text, origin).flatMap((document) => flattened(document, origin));
}

// YAML takes seconds for each megabyte: of more, a user learns why they wait.
const LARGE = 1024 * 1024;

const isJson = (text: string): boolean => /^\s*\{/.test(text);

function documentsIn(text: string, origin: string): readonly unknown[] {
  if (isBinary(text)) {
    throw new CommandError(
      `${origin} is not text in UTF-8; expected YAML or JSON, as kubectl get -o yaml prints it`,
    );
  }
  // JSON is YAML, too, but the JSON parser reads a dump of a thousand machines far faster.
  if (isJson(text)) {
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      // Several JSON documents, or YAML in braces: the YAML parser reports the error if it is neither.
    }
  }
  try {
    // The parser compares each key of a map with all others, which takes minutes in a map of a hundred thousand. A text as
    // large as that is a dump of kubectl, which repeats none.
    return parseAllDocuments(text, { uniqueKeys: text.length < LARGE }).map((document) => {
      const [problem] = document.errors;
      if (problem) throw parseProblem({ origin, text }, problem);
      return document.toJS() as unknown;
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // An alias without an anchor, or an expansion beyond the parser's limit.
    throw new CommandError(`${origin} cannot be read: ${(error as Error).message}`);
  }
}

function flattened(value: unknown, origin: string): readonly GivenObject[] {
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value)) {
    const found = JSON.stringify(value).slice(0, 60);
    throw new CommandError(`${origin} holds ${found} where a Kubernetes object was expected`);
  }
  const list = itemsOf(value);
  if (list) return list.flatMap((item) => flattened(item, origin));
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new CommandError(`${origin} holds an object without apiVersion or kind; both are needed`);
  }
  if (!isJsonObject(metadata) || typeof metadata["name"] !== "string") {
    throw new CommandError(`${origin} holds a ${kind} without metadata.name`);
  }
  return [inOurVersion(value) as unknown as GivenObject];
}

/** Plans are made of objects in the version of the controllers, whichever version a user gives. */
function inOurVersion(object: JsonObject): JsonObject {
  return inStoredVersion(object)?.object ?? object;
}

/** The items of a list, possibly empty; undefined if the object is not a list. */
function itemsOf({
  kind,
  metadata,
  items,
}: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  const isListKind = typeof kind === "string" && kind.endsWith("List");
  if (Array.isArray(items)) return isListKind || kind === undefined ? items : undefined;
  // An object with a name is not a list, even if its kind ends in List.
  const isNamed = isJsonObject(metadata) && metadata["name"] !== undefined;
  return isListKind && !isNamed && (items === undefined || items === null) ? [] : undefined;
}
