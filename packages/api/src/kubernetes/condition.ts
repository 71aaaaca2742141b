import { type Static, listMap, long, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

/** The most characters of a reason, and of a message, that a server accepts. */
export const REASON_LIMIT = 256;
export const MESSAGE_LIMIT = 10_240;

/** The form of the name of a condition. */
export const CONDITION_TYPE = {
  minLength: 1,
  maxLength: 316,
  pattern:
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
};

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

/** The list of conditions of statuses in the form of v1beta1. */
export const Conditions = listMap("The conditions of the object.", Condition, { keys: ["type"] });

/** A condition of an object, in Kubernetes' own form, which v1beta2 of Cluster API has. */
export const StandardCondition = object("A condition of the object.", {
  type: string("The type of the condition, in CamelCase.", {
    maxLength: 316,
    pattern: CONDITION_TYPE.pattern,
  }),
  status: oneOf("The status of the condition.", CONDITION_STATUSES),
  observedGeneration: optional(
    long("The generation of the object that the condition is based on.", { minimum: 0 }),
  ),
  lastTransitionTime: timestamp("When the status last changed."),
  reason: string("The reason, in CamelCase.", {
    minLength: 1,
    maxLength: 1024,
    pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
  }),
  message: string("The reason, for people.", { maxLength: 32_768 }),
});

/** A condition of an object, in Kubernetes' own form. */
export type StandardCondition = Static<typeof StandardCondition>;

/** The new state of a condition in Kubernetes' own form; its transition time is determined when it is written. */
export type StandardConditionUpdate = Omit<StandardCondition, "lastTransitionTime" | "observedGeneration">;

/** The list of conditions of statuses in Kubernetes' own form. */
export const StandardConditions = listMap("The conditions of the object.", StandardCondition, {
  keys: ["type"],
  maxItems: 32,
});
