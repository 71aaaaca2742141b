import type { CustomKind } from "./kind.ts";

// A test of the manager compares this list with its controllers.
const WITHOUT_CONTROLLER: ReadonlySet<string> = new Set([]);

/** Whether this release accepts objects of the kind and has no controller that acts on them. */
export function hasNoController({ kind }: Pick<CustomKind, "kind">): boolean {
  return WITHOUT_CONTROLLER.has(kind);
}

/** What a user is told who creates an object of a kind without a controller; empty for other kinds. */
export function noControllerWarnings(kind: Pick<CustomKind, "kind">): readonly string[] {
  if (!hasNoController(kind)) return [];
  return [
    `Capstan has no controller for ${kind.kind} yet: the object is stored, and nothing happens unless another provider acts on it`,
  ];
}
