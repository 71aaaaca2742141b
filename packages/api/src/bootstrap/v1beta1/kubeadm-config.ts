import { Conditions } from "../../kubernetes/condition.ts";
import { anyObject, boolean, long, object, optional, string } from "../../schema/schema.ts";

/** The status of a KubeadmConfig of v1beta1. */
export const Status = object("The observed state of the bootstrap data.", {
  ready: optional(boolean("Whether the bootstrap data is available.")),
  dataSecretName: optional(string("The Secret with the bootstrap data.", { minLength: 1, maxLength: 253 })),
  failureReason: optional(
    string("Why there will be no data, in CamelCase.", { minLength: 1, maxLength: 256 }),
  ),
  failureMessage: optional(string("Why there will be no data.", { minLength: 1, maxLength: 10240 })),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
