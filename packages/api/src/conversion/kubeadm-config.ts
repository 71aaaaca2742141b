import { Status } from "../bootstrap/v1beta1/kubeadm-config.ts";
import { KubeadmConfigSpec } from "../bootstrap/v1beta1/spec.ts";
import * as newer from "../bootstrap/v1beta2/kubeadm-config.ts";
import { Spec as NewerTemplateSpec } from "../bootstrap/v1beta2/kubeadm-config-template.ts";
import { KubeadmConfigSpec as NewerSpec } from "../bootstrap/v1beta2/spec.ts";
import { TemplateMetadata } from "../kubernetes/template-metadata.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN } from "../printer-columns.ts";
import { object, optional } from "../schema/schema.ts";
import { olderVersion } from "./by-rules.ts";
import { kubeadmConfigSpec } from "./kubeadm-config-spec.ts";
import { intent, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields } from "./status-rules.ts";

/** KubeadmConfigs of v1beta1. */
export const kubeadmConfigV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: KubeadmConfigSpec,
  status: Status,
  newer: { spec: NewerSpec, status: newer.Status },
  columns: [CLUSTER_LABEL_COLUMN, AGE_COLUMN],
  fieldRules: [
    ...kubeadmConfigSpec("spec"),
    intent("status.ready", "status.initialization.dataSecretCreated"),
    ...deprecatedFields("failureReason", "failureMessage"),
    ...conditionSets,
    olderOnly("status.v1beta2"),
  ],
});

/** KubeadmConfigTemplates of v1beta1. */
export const kubeadmConfigTemplateV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: object("The desired configs.", {
    template: object("The template of configs.", {
      metadata: optional(TemplateMetadata),
      spec: optional(KubeadmConfigSpec),
    }),
  }),
  newer: { spec: NewerTemplateSpec },
  columns: [AGE_COLUMN],
  fieldRules: kubeadmConfigSpec("spec.template.spec"),
});
