import { type Static, object, optional, string } from "../schema/schema.ts";

/** A reference to an object in any namespace. */
export const ObjectReference = object(
  "Points to another object.",
  {
    apiVersion: optional(string("The API version of the object, with its group.")),
    kind: optional(string("The kind of the object.")),
    name: optional(string("The name of the object.")),
    namespace: optional(string("The namespace of the object.")),
    uid: optional(string("The UID of the object.")),
    resourceVersion: optional(string("The version of the object.")),
    fieldPath: optional(string("The part of the object, such as spec.containers{name}.")),
  },
  { atomic: true },
);

/** A reference to an object in any namespace. */
export type ObjectReference = Static<typeof ObjectReference>;
