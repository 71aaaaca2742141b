import { type Static, listMap, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

const CONDITION_STATUSES = ["True", "False", "Unknown"] as const;

/** A condition of an object, in Cluster API's v1beta1 form. */
export const Condition = object("A condition of the object.", {
  type: string("The type of the condition, in CamelCase.", { minLength: 1, maxLength: 256 }),
  status: oneOf("The status of the condition.", CONDITION_STATUSES),
  severity: optional(
    string("The severity of a False: Error, Warning or Info. Empty otherwise.", { maxLength: 32 }),
  ),
  lastTransitionTime: timestamp("When the status last changed."),
  reason: optional(string("The reason, in CamelCase.", { maxLength: 256 })),
  message: optional(string("The reason, for people.", { maxLength: 10240 })),
});

/** A condition of an object. */
export type Condition = Static<typeof Condition>;

/** The list of conditions that all of our statuses have. */
export const Conditions = listMap("The conditions of the object.", Condition, { keys: ["type"] });
