import { Conditions } from "../kubernetes/condition.ts";
import { AGE_COLUMN, conditionColumn } from "../printer-columns.ts";
import { extensionFields, handlers } from "../runtime-extension/extension-fields.ts";
import * as newer from "../runtime-extension/v1beta2/extension-config.ts";
import { anyObject, integer, object, optional } from "../schema/schema.ts";
import { olderVersion } from "./by-rules.ts";
import { olderOnly } from "./rules.ts";
import { conditionSets } from "./status-rules.ts";

/** ExtensionConfigs of v1alpha1; there is no v1beta1. */
export const extensionConfigV1Alpha1 = olderVersion({
  version: "v1alpha1",
  spec: object("The address of an extension, and the namespaces it is called for.", extensionFields()),
  status: object("The observed state of the extension.", {
    handlers: handlers(integer("How long it may take to answer.")),
    conditions: optional(Conditions),
    v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
  }),
  newer: { spec: newer.Spec, status: newer.Status },
  columns: [conditionColumn("Discovered", "Discovered"), conditionColumn("Paused", "Paused", 1), AGE_COLUMN],
  fieldRules: [...conditionSets, olderOnly("status.v1beta2")],
});
