import { notSupported } from "@capstan/api";
import type { WriteOptions } from "../registry/context.ts";
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
export function writeOptions(query: URLSearchParams, kind: string): Omit<WriteOptions, "user"> {
  const mode = query.get("fieldValidation") ?? "";
  if (!["", "Ignore", "Warn", "Strict"].includes(mode))
    throw invalidOptions(kind, [notSupported("fieldValidation", mode, ["", "Ignore", "Strict", "Warn"])]);
  return {
    dryRun: isDryRun(query.getAll("dryRun"), kind),
    fieldValidation: mode === "" ? "Warn" : (mode as WriteOptions["fieldValidation"]),
  };
}

/** Whether the write is a dry run. The only known value is `All`. */
export function isDryRun(values: readonly string[], kind: string): boolean {
  if (values.some((value) => value !== "All"))
    throw invalidOptions(kind, [notSupported("dryRun", values, ["All"])]);
  return values.length > 0;
}
