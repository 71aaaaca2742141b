/**
 * How a phase ended. `next`: go on. `again`: go on, and come back after a while. `block`: skip the
 * phases that follow, and come back after a while. There is no bare "requeue": whoever wants to come
 * back says when and why.
 */
export type Outcome =
  | { readonly type: "next" }
  | { readonly type: "again" | "block"; readonly afterMs: number; readonly reason: string };

/** Go on with the next phase. */
export const next: Outcome = { type: "next" };

/** Go on with the next phase, and come back after a while. */
export function again(afterMs: number, reason: string): Outcome {
  return { type: "again", afterMs, reason };
}

/** Skip the phases that follow, and come back after a while. */
export function block(afterMs: number, reason: string): Outcome {
  return { type: "block", afterMs, reason };
}
