/**
 * The result of a phase. `next`: continue. `again`: continue, and requeue after a while. `block`: skip the phases that
 * follow, and requeue after a while. There is no bare "requeue": a phase always gives time and reason.
 */
export type Outcome =
  | { readonly type: "next" }
  | { readonly type: "again" | "block"; readonly afterMs: number; readonly reason: string };

/** Continue with the next phase. */
export const next: Outcome = { type: "next" };

/** Continue with the next phase, and requeue after a while. */
export function again(afterMs: number, reason: string): Outcome {
  return { type: "again", afterMs, reason };
}

/** Skip the phases that follow, and requeue after a while. */
export function block(afterMs: number, reason: string): Outcome {
  return { type: "block", afterMs, reason };
}
