import type { ScalePaths } from "@capstan/api";
import { goValue } from "../../schema/go-text.ts";
import { type FieldProblem, invalidValue } from "../../schema/problem.ts";
import type { Draft } from "../../storage/storage.ts";

// Autoscalers and kubectl use 32-bit numbers, regardless of the schema.
const LARGEST_REPLICAS = 2 ** 31 - 1;

/** Why the desired replicas are not valid for `kubectl scale`. */
export function scaleSpecProblems(paths: ScalePaths | undefined, object: Draft): FieldProblem[] {
  return paths ? replicasProblems(object, paths.specReplicasPath) : [];
}

/** The same for the current replicas, and for the selector text. */
export function scaleStatusProblems(paths: ScalePaths | undefined, object: Draft): FieldProblem[] {
  if (!paths) return [];
  const { statusReplicasPath, labelSelectorPath } = paths;
  return [
    ...replicasProblems(object, statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : selectorProblems(object, labelSelectorPath)),
  ];
}

function replicasProblems(object: Draft, path: string): FieldProblem[] {
  const { value = 0, obstacle } = read(object, path);
  if (obstacle !== undefined) return [invalidValue(path, 0, obstacle)];
  if (!Number.isInteger(value)) return [invalidValue(path, 0, accessorError(path, value, "int64"))];
  const replicas = value as number;
  if (replicas < 0) return [invalidValue(path, replicas, "should be a non-negative integer")];
  if (replicas <= LARGEST_REPLICAS) return [];
  return [invalidValue(path, replicas, `should be less than or equal to ${LARGEST_REPLICAS}`)];
}

function selectorProblems(object: Draft, path: string): FieldProblem[] {
  const { value = "", obstacle } = read(object, path);
  if (obstacle !== undefined) return [invalidValue(path, "", obstacle)];
  return typeof value === "string" ? [] : [invalidValue(path, "", accessorError(path, value, "string"))];
}

/** The value at a path, or why it cannot be read. */
function read(object: Draft, path: string): { readonly value?: unknown; readonly obstacle?: string } {
  let value: unknown = object;
  for (const name of path.split(".").filter((part) => part !== "")) {
    if (value === undefined) return {};
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { obstacle: accessorError(path, value, "map[string]interface{}") };
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return { value };
}

function accessorError(path: string, value: unknown, wanted: string): string {
  return `${path} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${wanted}`;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}
