/** The vocabulary that all planners share: pools, machines and control planes decide in these words. */

/** The object that an action or a block is about. */
interface ActionObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Which controller speaks, and about which object; opens every action and every block. */
export interface Heading {
  readonly controller: string;
  readonly object: ActionObject;
}

/** What a controller does next, with what it needs for that and why; the `action` tells the forms apart. */
export interface Action<Name extends string, Detail> extends Heading {
  readonly action: Name;
  readonly targets: readonly string[];
  readonly detail: Detail;
  readonly why: string;
}

/** What a controller would do if the reason did not forbid it. */
export interface BlockedBy<Reason extends string> extends Heading {
  readonly reason: Reason;
  readonly targets: readonly string[];
  readonly why: string;
}

/** A number with its noun, so that a sentence reads well for one and for many. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The verb that goes with a count. */
export function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}
