import { builtInColumns } from "./built-in/built-in-columns.ts";
import type { Column } from "./column.ts";
import { type CustomColumn, customColumns } from "./custom-columns.ts";

/** A kind as a table needs it; `custom` is what a CRD says about the version that is asked for. */
export interface TabledKind {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly custom?: { readonly columns: readonly CustomColumn[] } | undefined;
}

const compiled = new WeakMap<readonly CustomColumn[], readonly Column[]>();

/** The columns of a kind. Those of a CRD are made ready once and kept for as long as its list of columns lives. */
export function columnsFor({ kind, custom }: TabledKind): readonly Column[] {
  if (!custom) return builtInColumns(kind);
  const known = compiled.get(custom.columns);
  if (known) return known;
  const columns = customColumns(custom.columns);
  compiled.set(custom.columns, columns);
  return columns;
}
