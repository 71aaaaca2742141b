import { COLUMNS } from "../infrastructure/azure-cluster/columns.ts";
import { Spec, Status } from "../infrastructure/azure-cluster/v1beta2.ts";
import { newerVersion } from "./by-rules.ts";
import { failureDomains } from "./failure-domains.ts";

/** AzureClusters of v1beta2. Their conditions are those of v1beta1: the contract accepts any form. */
export const azureClusterV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  columns: COLUMNS,
  fieldRules: [failureDomains("status.failureDomains")],
});
