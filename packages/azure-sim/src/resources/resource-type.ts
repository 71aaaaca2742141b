import type { Answer } from "../arm/answer.ts";
import type { Call } from "../core/call.ts";
import type { Effect, AzureState } from "../core/azure-state.ts";
import type { MachineSource } from "../machines/machine.ts";

/** Answers one kind of request on one type of resource. */
export type Verb = (call: Call, world: AzureState) => Answer;

/** A type of resource, and its verbs. */
export interface ResourceType {
  /** The namespace, such as Microsoft.Network. */
  readonly provider: string;
  /** The type in ARM's spelling, such as virtualNetworks/subnets. */
  readonly type: string;
  readonly get?: Verb;
  readonly head?: Verb;
  readonly put?: Verb;
  readonly patch?: Verb;
  readonly delete?: Verb;
  /** Lists the collection: of a parent, a group or a whole subscription. */
  readonly list?: Verb;
  /** POSTs, by the last segment in lower case. */
  readonly actions?: Readonly<Record<string, Verb>>;
  /** GETs of something other than the resource, by the last segment in lower case. */
  readonly views?: Readonly<Record<string, Verb>>;
  /** Scheduled changes, by their name in the agenda. */
  readonly effects?: Readonly<Record<string, Effect>>;
  /** The virtual machines of this type, where its resources are machines. */
  readonly machines?: (world: AzureState) => MachineSource;
  /** Types that live outside resource groups. */
  readonly isInSubscription?: boolean;
}
