import { StandardConditions } from "../../kubernetes/condition.ts";
import { deprecatedStatus } from "../../cluster/v1beta2/fields.ts";
import { integer, object, optional } from "../../schema/schema.ts";
import { extensionFields, handlers } from "../extension-fields.ts";

/** The spec of an ExtensionConfig of v1beta2. */
export const Spec = object(
  "The address of an extension, and the namespaces it is called for.",
  extensionFields({ minProperties: 1 }),
);

/** The status of an ExtensionConfig of v1beta2. */
export const Status = object(
  "The observed state of the extension.",
  {
    conditions: optional(StandardConditions),
    handlers: handlers(integer("How long it may take to answer.", { minimum: 1 })),
    deprecated: deprecatedStatus({}),
  },
  { minProperties: 1 },
);
