import { AGE_COLUMN } from "../printer-columns.ts";
import { TemplateMetadata, templateMetadataErrors } from "../kubernetes/template-metadata.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { object, optional } from "../schema/schema.ts";
import { BOOTSTRAP, BOOTSTRAP_PROVIDER_LABELS } from "./group.ts";
import { defaultKubeadmConfigSpec, kubeadmConfigSpecErrors } from "./kubeadm-config/rules.ts";
import { KubeadmConfigSpec } from "./kubeadm-config/spec.ts";

/** What the KubeadmConfig of each machine is cloned from. */
export const KubeadmConfigTemplate = defineKind({
  ...BOOTSTRAP,
  kind: "KubeadmConfigTemplate",
  plural: "kubeadmconfigtemplates",
  description: "What the KubeadmConfig of each machine is cloned from.",
  spec: object("The wanted configs.", {
    template: object("What configs are cloned from.", {
      metadata: optional(TemplateMetadata),
      spec: optional(KubeadmConfigSpec),
    }),
  }),
  crdLabels: BOOTSTRAP_PROVIDER_LABELS,
  columns: [AGE_COLUMN],
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

/** What the KubeadmConfig of each machine is cloned from. */
export type KubeadmConfigTemplate = ObjectOf<typeof KubeadmConfigTemplate>;
