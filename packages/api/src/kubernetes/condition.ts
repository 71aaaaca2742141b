import { type Static, listMap, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

const CONDITION_STATUSES = ["True", "False", "Unknown"] as const;

/** One aspect of an object's state, in Cluster API's v1beta1 shape. */
export const Condition = object("One aspect of the state of the object.", {
  type: string("The aspect, in CamelCase.", { minLength: 1, maxLength: 256 }),
  status: oneOf("Whether the aspect holds.", CONDITION_STATUSES),
  severity: optional(
    string("How bad a False is: Error, Warning or Info. Empty otherwise.", { maxLength: 32 }),
  ),
  lastTransitionTime: timestamp("When the status changed last."),
  reason: optional(string("Why, in one CamelCase word.", { maxLength: 256 })),
  message: optional(string("Why, in a sentence for people.", { maxLength: 10240 })),
});

/** One aspect of an object's state. */
export type Condition = Static<typeof Condition>;

/** The list of conditions, as every status of ours has it. */
export const Conditions = listMap(
  "What is known about the state of the object, one entry for each aspect.",
  Condition,
  { keys: ["type"] },
);
