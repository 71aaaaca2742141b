import { builtInColumns } from "./built-in/built-in-columns.ts";
import type { Column } from "./column.ts";
import { type CustomColumn, customColumns } from "./custom-columns.ts";

/** A kind as a Table needs it; `custom` is what a CRD defines about the requested version. */
export interface TabledKind {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly custom?: { readonly columns: readonly CustomColumn[] } | undefined;
}

const compiled = new WeakMap<readonly CustomColumn[], readonly Column[]>();

/** The columns of a kind. Those of a CRD are compiled once and cached for the lifetime of its list of columns. */
export function columnsFor({ kind, custom }: TabledKind): readonly Column[] {
  if (!custom) return builtInColumns(kind);
  const known = compiled.get(custom.columns);
  if (known) return known;
  const columns = customColumns(custom.columns);
  compiled.set(custom.columns, columns);
  return columns;
}
