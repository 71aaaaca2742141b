import { type Static, listMap, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

/** The most characters of a reason, and of a message, that a server accepts. */
export const REASON_LIMIT = 256;
export const MESSAGE_LIMIT = 10_240;

const CONDITION_STATUSES = ["True", "False", "Unknown"] as const;

/** A condition of an object, in Cluster API's v1beta1 form. */
export const Condition = object("A condition of the object.", {
  type: string("The type of the condition, in CamelCase.", { minLength: 1, maxLength: 256 }),
  status: oneOf("The status of the condition.", CONDITION_STATUSES),
  severity: optional(
    string("The severity of a False: Error, Warning or Info. Empty otherwise.", { maxLength: 32 }),
  ),
  lastTransitionTime: timestamp("When the status last changed."),
  reason: optional(string("The reason, in CamelCase.", { maxLength: REASON_LIMIT })),
  message: optional(string("The reason, for people.", { maxLength: MESSAGE_LIMIT })),
});

/** A condition of an object. */
export type Condition = Static<typeof Condition>;

/** The list of conditions that all of our statuses have. */
export const Conditions = listMap("The conditions of the object.", Condition, { keys: ["type"] });
