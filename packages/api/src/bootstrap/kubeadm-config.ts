import { kubeadmConfigV1Beta1 } from "../conversion/kubeadm-config.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, PAUSED_COLUMN } from "../printer-columns.ts";
import { BOOTSTRAP, BOOTSTRAP_PROVIDER_LABELS } from "./group.ts";
import { defaultKubeadmConfigSpec, kubeadmConfigSpecErrors } from "./kubeadm-config-rules.ts";
import { Status } from "./v1beta2/kubeadm-config.ts";
import { KubeadmConfigSpec } from "./v1beta2/spec.ts";

/** Creates the bootstrap data of a machine, or of the machines of a pool, with kubeadm. */
export const KubeadmConfig = defineKind({
  ...BOOTSTRAP,
  kind: "KubeadmConfig",
  plural: "kubeadmconfigs",
  description: "Creates the bootstrap data of a machine, or of the machines of a pool, with kubeadm.",
  spec: KubeadmConfigSpec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: BOOTSTRAP_PROVIDER_LABELS,
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
  converted: [kubeadmConfigV1Beta1],
  applyDefaults(draft) {
    defaultKubeadmConfigSpec(draft.spec);
  },
  validate({ object: config }) {
    return kubeadmConfigSpecErrors("spec", config.spec);
  },
});

/** Creates the bootstrap data of a machine, or of the machines of a pool, with kubeadm. */
export type KubeadmConfig = ObjectOf<typeof KubeadmConfig>;
