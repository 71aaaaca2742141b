import { AGE_COLUMN } from "../printer-columns.ts";
import { TemplateMetadata, templateMetadataErrors } from "../kubernetes/template-metadata.ts";
import { kubeadmConfigTemplateV1Beta2 } from "../conversion/kubeadm-config.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { object, optional } from "../schema/schema.ts";
import { BOOTSTRAP, BOOTSTRAP_PROVIDER_LABELS } from "./group.ts";
import { defaultKubeadmConfigSpec, kubeadmConfigSpecErrors } from "./kubeadm-config/rules.ts";
import { KubeadmConfigSpec } from "./kubeadm-config/spec.ts";

/** The template of the KubeadmConfig of each machine. */
export const KubeadmConfigTemplate = defineKind({
  ...BOOTSTRAP,
  kind: "KubeadmConfigTemplate",
  plural: "kubeadmconfigtemplates",
  description: "The template of the KubeadmConfig of each machine.",
  spec: object("The desired configs.", {
    template: object("The template of configs.", {
      metadata: optional(TemplateMetadata),
      spec: optional(KubeadmConfigSpec),
    }),
  }),
  crdLabels: BOOTSTRAP_PROVIDER_LABELS,
  columns: [AGE_COLUMN],
  converted: [kubeadmConfigTemplateV1Beta2],
  applyDefaults(draft) {
    draft.spec.template.spec ??= {};
    defaultKubeadmConfigSpec(draft.spec.template.spec);
  },
  validate({ object: template }) {
    const { metadata, spec = {} } = template.spec.template;
    return [
      ...kubeadmConfigSpecErrors("spec.template.spec", spec),
      ...templateMetadataErrors("spec.template.metadata", metadata),
    ];
  },
});

/** The template of the KubeadmConfig of each machine. */
export type KubeadmConfigTemplate = ObjectOf<typeof KubeadmConfigTemplate>;
