/** The schemas of an AzureCluster of v1beta2, whose failure domains are a list as contract v1beta2 has it. */
import { ControlPlaneEndpoint, FailureDomains } from "../../cluster/v1beta2/infrastructure-contract.ts";
import { object, optional } from "../../schema/schema.ts";
import { SPEC, specFields, STATUS, statusFields } from "./schema.ts";

/** The spec of an AzureCluster of v1beta2. */
export const Spec = object(SPEC, {
  ...specFields,
  controlPlaneEndpoint: optional(ControlPlaneEndpoint),
});

/** The status of an AzureCluster of v1beta2. */
export const Status = object(STATUS, {
  ...statusFields,
  failureDomains: optional(FailureDomains),
});
