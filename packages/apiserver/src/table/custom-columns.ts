import type { PrinterColumn } from "@capstan/api";
import { goJson, goNumber } from "../schema/go-text.ts";
import { AGE, type Cell, type Column, NAME } from "./column.ts";
import { since } from "./human-duration.ts";
import { compileJsonPath } from "./json-path.ts";

/** A printer column as a CRD may have it. */
export type CustomColumn = PrinterColumn & { readonly format?: string };

/** The columns of a custom kind: its name and those that its CRD lists, or its age if it lists none. */
export function customColumns(printed: readonly CustomColumn[]): readonly Column[] {
  return [NAME, ...(printed.length === 0 ? [{ ...AGE, type: "date" }] : printed.map(customColumn))];
}

function customColumn({
  name,
  type,
  format = "",
  description,
  jsonPath,
  priority = 0,
}: CustomColumn): Column {
  const path = compileJsonPath(jsonPath);
  return {
    name,
    type,
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, now) => {
      // A path may lead to several values; kube-apiserver shows the first.
      const found = path?.(object) ?? [];
      return found.length === 0 ? null : cellOf(type, found[0], now);
    },
  };
}

/** A value of another type than its column leaves the cell empty; only a string column accepts any. */
function cellOf(type: PrinterColumn["type"], value: unknown, now: number): Cell {
  switch (type) {
    case "string":
      return textOf(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? since(value, now) : null;
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return goNumber(value);
  if (value === null || value === undefined) return "<no value>";
  return typeof value === "boolean" ? String(value) : goJson(value);
}
