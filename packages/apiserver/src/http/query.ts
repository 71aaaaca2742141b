import { notSupported } from "@capstan/api";
import type { HttpRequest } from "@capstan/env";
import type { WriteOptions } from "../registry/context.ts";
import { goQuote } from "../schema/go-text.ts";
import { LONGEST_MANAGER_BYTES } from "../schema/object-meta.ts";
import type { FieldProblem } from "../schema/problem.ts";
import { badRequest, invalidOptions } from "./status.ts";

/** A whole number in the query; undefined when it is absent. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[-+]?\d{1,18}$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** A resourceVersion as a number; absent means 0. `refuse` creates the error, whose form depends on the verb. */
export function parseVersion(text: string, refuse: (problem: string) => Error): number {
  if (text === "") return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const shown = JSON.stringify(text);
  throw refuse(
    `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`,
  );
}

/** Reads the options of a write. `kind` is the name of the options, for the error. */
export function writeOptions(
  query: URLSearchParams,
  kind: string,
  { headers, problems = [] }: Pick<HttpRequest, "headers"> & { readonly problems?: readonly FieldProblem[] },
): Omit<WriteOptions, "user"> {
  const mode = query.get("fieldValidation") ?? "";
  const dryRun = query.getAll("dryRun");
  const manager = query.get("fieldManager") ?? "";
  const found = [
    ...problems,
    ...managerProblems(manager),
    ...(dryRun.some((value) => value !== "All") ? [notSupported("dryRun", dryRun, ["All"])] : []),
    ...(["", "Ignore", "Warn", "Strict"].includes(mode)
      ? []
      : [notSupported("fieldValidation", mode, ["", "Ignore", "Strict", "Warn"])]),
  ];
  if (found.length > 0) throw invalidOptions(kind, found);
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: mode === "" ? "Warn" : (mode as WriteOptions["fieldValidation"]),
    fieldManager: manager === "" ? managerOfAgent(headers["user-agent"] ?? "") : manager,
  };
}

// What Go does not print: control, format, surrogate, private and unassigned characters, and spaces except the plain one.
const UNPRINTABLE = /\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}/gu;

// Nearly all names are like this, and every request has one.
const PLAIN = /^[ -~]{0,128}$/;

function managerProblems(manager: string): FieldProblem[] {
  if (PLAIN.test(manager)) return [];
  if (Buffer.byteLength(manager) > LONGEST_MANAGER_BYTES) {
    const message = `Too long: may not be more than ${LONGEST_MANAGER_BYTES} bytes`;
    return [{ type: "FieldValueTooLong", field: "fieldManager", message }];
  }
  return Array.from(manager).flatMap((character, index) => {
    if (character.search(UNPRINTABLE) < 0) return [];
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const message = `Invalid value: ${goQuote(manager)}: invalid character U+${code} (at position ${index})`;
    return [{ type: "FieldValueInvalid", field: "fieldManager", message }];
  });
}

/** The manager of a client that names none: the beginning of its User-Agent. */
function managerOfAgent(agent: string): string {
  const [program = ""] = agent.split("/", 1);
  if (program !== "" && PLAIN.test(program)) return program;
  const printable = program.replaceAll(UNPRINTABLE, "");
  const name = Buffer.from(printable).subarray(0, LONGEST_MANAGER_BYTES).toString();
  return name === "" ? "unknown" : name;
}

/** Whether the write is a dry run. The only known value is `All`. */
export function isDryRun(values: readonly string[], kind: string): boolean {
  if (values.some((value) => value !== "All"))
    throw invalidOptions(kind, [notSupported("dryRun", values, ["All"])]);
  return values.length > 0;
}
