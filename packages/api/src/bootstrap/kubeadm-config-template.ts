import { kubeadmConfigTemplateV1Beta1 } from "../conversion/kubeadm-config.ts";
import { type ObjectOf, type PrinterColumn, defineKind } from "../kind.ts";
import { templateMetadataErrors } from "../kubernetes/template-metadata.ts";
import { AGE_COLUMN } from "../printer-columns.ts";
import { BOOTSTRAP, BOOTSTRAP_PROVIDER_LABELS } from "./group.ts";
import { defaultKubeadmConfigSpec, kubeadmConfigSpecErrors } from "./kubeadm-config-rules.ts";
import { Spec } from "./v1beta2/kubeadm-config-template.ts";

/** The template of the KubeadmConfig of each machine. */
export const KubeadmConfigTemplate = defineKind({
  ...BOOTSTRAP,
  kind: "KubeadmConfigTemplate",
  plural: "kubeadmconfigtemplates",
  description: "The template of the KubeadmConfig of each machine.",
  spec: Spec,
  crdLabels: BOOTSTRAP_PROVIDER_LABELS,
  columns: [ownerColumn("ClusterClass"), ownerColumn("Cluster"), AGE_COLUMN],
  converted: [kubeadmConfigTemplateV1Beta1],
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

function ownerColumn(kind: string): PrinterColumn {
  const jsonPath = `.metadata.ownerReferences[?(@.kind=="${kind}")].name`;
  return { name: kind, type: "string", jsonPath, description: `The ${kind} that owns it.` };
}
