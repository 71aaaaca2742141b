import { StandardConditions } from "../../kubernetes/condition.ts";
import { deprecatedFailure, deprecatedStatus, observedGeneration } from "../../cluster/v1beta2/fields.ts";
import { boolean, object, optional, string } from "../../schema/schema.ts";

/** The status of a KubeadmConfig of v1beta2. */
export const Status = object(
  "The observed state of the bootstrap data.",
  {
    conditions: optional(StandardConditions),
    initialization: optional(
      object(
        "What has been done since the config was created.",
        { dataSecretCreated: optional(boolean("Whether the bootstrap data is available.")) },
        { minProperties: 1 },
      ),
    ),
    dataSecretName: optional(string("The Secret with the bootstrap data.", { minLength: 1, maxLength: 253 })),
    observedGeneration,
    deprecated: deprecatedStatus(deprecatedFailure),
  },
  { minProperties: 1 },
);
