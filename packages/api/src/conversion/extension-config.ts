import { Conditions, deprecatedStatus } from "../cluster/v1beta2/fields.ts";
import { AGE_COLUMN, conditionColumn, PAUSED_COLUMN } from "../printer-columns.ts";
import { extensionFields, handlers } from "../runtime-extension/extension-fields.ts";
import { integer, object, optional } from "../schema/schema.ts";
import { newerVersion } from "./by-rules.ts";
import { olderOnly } from "./rules.ts";
import { conditionSets } from "./status-rules.ts";

/** ExtensionConfigs of v1beta2; the older version is v1alpha1. */
export const extensionConfigV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: object("The address of an extension, and the namespaces it is called for.", {
    ...extensionFields({ minProperties: 1 }),
  }),
  status: object(
    "The observed state of the extension.",
    {
      conditions: optional(Conditions),
      handlers: handlers(integer("How long it may take to answer.", { minimum: 1 })),
      deprecated: deprecatedStatus({}),
    },
    { minProperties: 1 },
  ),
  columns: [PAUSED_COLUMN, conditionColumn("Discovered", "Discovered"), AGE_COLUMN],
  fieldRules: [...conditionSets, olderOnly("status.v1beta2")],
});
