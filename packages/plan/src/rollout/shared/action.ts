/** The types that all planners share: those of pools, machines and control planes. */

/** The object that an action or a block is about. */
interface ActionObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The controller and the object of an action or a block. */
export interface Heading {
  readonly controller: string;
  readonly object: ActionObject;
}

/** The next step of a controller, with its input and its reason; `action` is the discriminator. */
export interface Action<Name extends string, Detail> extends Heading {
  readonly action: Name;
  readonly targets: readonly string[];
  readonly detail: Detail;
  readonly why: string;
}

/** A step that a controller does not take, and the reason. */
export interface BlockedBy<Reason extends string> extends Heading {
  readonly reason: Reason;
  readonly targets: readonly string[];
  readonly why: string;
}

/** A number with its noun in singular or plural. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The verb that goes with a count. */
export function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}
