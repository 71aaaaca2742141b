import { AGE_COLUMN, CLUSTER_LABEL_COLUMN } from "../printer-columns.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { kubeadmConfigV1Beta2 } from "../conversion/kubeadm-config.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { anyObject, boolean, long, object, optional, string } from "../schema/schema.ts";
import { BOOTSTRAP, BOOTSTRAP_PROVIDER_LABELS } from "./group.ts";
import { defaultKubeadmConfigSpec, kubeadmConfigSpecErrors } from "./kubeadm-config/rules.ts";
import { KubeadmConfigSpec } from "./kubeadm-config/spec.ts";

const Status = object("The observed state of the bootstrap data.", {
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

/** Creates the bootstrap data of a machine, or of the machines of a pool, with kubeadm. */
export const KubeadmConfig = defineKind({
  ...BOOTSTRAP,
  kind: "KubeadmConfig",
  plural: "kubeadmconfigs",
  description: "Creates the bootstrap data of a machine, or of the machines of a pool, with kubeadm.",
  spec: KubeadmConfigSpec,
  status: Status,
  crdLabels: BOOTSTRAP_PROVIDER_LABELS,
  columns: [CLUSTER_LABEL_COLUMN, AGE_COLUMN],
  converted: [kubeadmConfigV1Beta2],
  applyDefaults(draft) {
    defaultKubeadmConfigSpec(draft.spec);
  },
  validate({ object: config }) {
    return kubeadmConfigSpecErrors("spec", config.spec);
  },
});

/** Creates the bootstrap data of a machine, or of the machines of a pool, with kubeadm. */
export type KubeadmConfig = ObjectOf<typeof KubeadmConfig>;
