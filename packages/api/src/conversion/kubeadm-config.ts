import { KubeadmConfigSpec, NonEmptyKubeadmConfigSpec } from "../bootstrap/v1beta2/kubeadm-config-spec.ts";
import { Status } from "../bootstrap/v1beta2/kubeadm-config.ts";
import { NonEmptyTemplateMetadata } from "../cluster/v1beta2/fields.ts";
import type { PrinterColumn } from "../kind.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, PAUSED_COLUMN } from "../printer-columns.ts";
import { object, optional } from "../schema/schema.ts";
import { newerVersion } from "./by-rules.ts";
import { kubeadmConfigSpec } from "./kubeadm-config-spec.ts";
import { intent, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields } from "./status-rules.ts";

/** KubeadmConfigs of v1beta2. */
export const kubeadmConfigV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: KubeadmConfigSpec,
  status: Status,
  columns: [
    CLUSTER_LABEL_COLUMN,
    PAUSED_COLUMN,
    {
      name: "Data secret created",
      type: "string",
      jsonPath: ".status.initialization.dataSecretCreated",
      description: "Whether the bootstrap data is available.",
    },
    AGE_COLUMN,
  ],
  fieldRules: [
    ...kubeadmConfigSpec("spec"),
    intent("status.ready", "status.initialization.dataSecretCreated"),
    ...deprecatedFields("failureReason", "failureMessage"),
    ...conditionSets,
    olderOnly("status.v1beta2"),
  ],
});

function ownerColumn(kind: string): PrinterColumn {
  const jsonPath = `.metadata.ownerReferences[?(@.kind=="${kind}")].name`;
  return { name: kind, type: "string", jsonPath, description: `The ${kind} that owns it.` };
}

/** KubeadmConfigTemplates of v1beta2. */
export const kubeadmConfigTemplateV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: object("The desired configs.", {
    template: object(
      "The template of configs.",
      { metadata: optional(NonEmptyTemplateMetadata), spec: optional(NonEmptyKubeadmConfigSpec) },
      { minProperties: 1 },
    ),
  }),
  columns: [ownerColumn("ClusterClass"), ownerColumn("Cluster"), AGE_COLUMN],
  fieldRules: kubeadmConfigSpec("spec.template.spec"),
});
