/** Decides whether a field that another client keeps changing back is written again. Pure, time is an argument. */

/** A field that another client changed back after we had applied it. */
export interface Revert {
  readonly field: string;
  /** The field manager that owns the field now. */
  readonly manager: string;
  readonly atMs: number;
}

/** What is known about one object. */
export interface Contest {
  /** The reverts of the last minute. */
  readonly reverts: readonly Revert[];
  /** The field for which we stopped, until when, and for which time in a row. */
  readonly hold?: Pick<Revert, "field" | "manager"> & { readonly untilMs: number; readonly count: number };
}

/** Apply again, or wait. */
export type ContestVerdict =
  | { readonly do: "apply" }
  | { readonly do: "wait"; readonly field: string; readonly manager: string; readonly waitMs: number };

/** A contest without reverts. */
export const NO_CONTEST: Contest = { reverts: [] };

const WINDOW_MS = 60_000;
const MOST_REVERTS = 5;
const FIRST_HOLD_MS = 60_000;
const LONGEST_HOLD_MS = 5 * 60_000;

/** The wait that is left; undefined when the object may be applied. */
export function heldFor(
  { hold }: Contest,
  nowMs: number,
): Extract<ContestVerdict, { readonly do: "wait" }> | undefined {
  if (!hold || hold.untilMs <= nowMs) return undefined;
  return { do: "wait", field: hold.field, manager: hold.manager, waitMs: hold.untilMs - nowMs };
}

/**
 * Decides after a revert. The fifth one of a field by the same manager within a minute ends in a wait. After each wait one
 * apply follows; if that is reverted within a minute, too, the next wait is longer.
 */
export function afterReverts(
  contest: Contest,
  seen: readonly Pick<Revert, "field" | "manager">[],
  nowMs: number,
): { readonly contest: Contest; readonly verdict: ContestVerdict } {
  const recent = contest.reverts.filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
  const reverts = [...recent, ...seen.map((revert) => ({ ...revert, atMs: nowMs }))];
  const again = heldAgain(contest, seen, nowMs);
  const often = seen.find((one) => reverts.filter((other) => isSame(one, other)).length >= MOST_REVERTS);
  const stopped = again ?? (often && { ...often, count: 1 });
  if (!stopped) return { contest: { ...contest, reverts }, verdict: { do: "apply" } };
  const { field, manager, count } = stopped;
  const waitMs = Math.min(FIRST_HOLD_MS * 2 ** Math.min(count - 1, 3), LONGEST_HOLD_MS);
  const hold = { field, manager, count, untilMs: nowMs + waitMs };
  return { contest: { reverts: [], hold }, verdict: { do: "wait", field, manager, waitMs } };
}

function heldAgain(
  { hold }: Contest,
  seen: readonly Pick<Revert, "field" | "manager">[],
  nowMs: number,
): (Pick<Revert, "field" | "manager"> & { readonly count: number }) | undefined {
  if (!hold || nowMs > hold.untilMs + WINDOW_MS) return undefined;
  const { field, manager, count } = hold;
  return seen.some((one) => isSame(one, hold)) ? { field, manager, count: count + 1 } : undefined;
}

function isSame(one: Pick<Revert, "field" | "manager">, other: Pick<Revert, "field" | "manager">): boolean {
  return one.field === other.field && one.manager === other.manager;
}
