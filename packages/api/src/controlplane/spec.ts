import { KubeadmConfigSpec } from "../bootstrap/kubeadm-config/spec.ts";
import { FALLBACK_ONLY_IN_PLACE } from "../cluster/in-place-strategy.ts";
import {
  ConditionGates,
  KubernetesVersion,
  MachineNaming,
  deletionTimeouts,
} from "../cluster/machine-fields.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { MachineTaints } from "../kubernetes/taint.ts";
import { TemplateMetadata } from "../kubernetes/template-metadata.ts";
import {
  type Static,
  described,
  duration,
  integer,
  object,
  oneOf,
  optional,
  timestamp,
} from "../schema/schema.ts";
import { rollingUpdateFields } from "./shared-fields.ts";

const RollingUpdate = object("The limits of a rolling update.", rollingUpdateFields);

const RolloutStrategy = object(
  "How machines are updated to a new version or template.",
  {
    type: optional(
      oneOf(
        "RollingUpdate replaces one machine after the other, ExternalUpdate (also called InPlace) lets updaters change them in place.",
        ["RollingUpdate", "ExternalUpdate", "InPlace"],
      ),
    ),
    rollingUpdate: optional(RollingUpdate),
    fallbackRollingUpdate: optional(
      described(
        "The limits of the rolling update that follows when the updaters cannot make all changes. Without it nothing is replaced.",
        RollingUpdate,
      ),
    ),
  },
  {
    default: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
    rules: [FALLBACK_ONLY_IN_PLACE],
  },
);

/** The desired state of a control plane. */
export const KubeadmControlPlaneSpec = object("The desired state of the control plane.", {
  replicas: optional(
    integer("The desired number of machines; odd unless etcd is external; default 1.", {
      minimum: 1,
    }),
  ),
  version: described(
    "The Kubernetes version; it can increase by one minor version at a time, and go back only while machines of the lower minor version still run.",
    KubernetesVersion,
  ),
  machineTemplate: object("The template of machines.", {
    metadata: optional(TemplateMetadata),
    infrastructureRef: described("The template of the infrastructure machines.", ObjectReference),
    readinessGates: optional(ConditionGates),
    taints: optional(MachineTaints),
    ...deletionTimeouts,
  }),
  kubeadmConfigSpec: KubeadmConfigSpec,
  rolloutBefore: optional(
    object("Replace machines before an event.", {
      certificatesExpiryDays: optional(
        integer("Replace machines whose certificates expire within this many days.", { minimum: 7 }),
      ),
    }),
  ),
  rolloutAfter: optional(
    timestamp("Replace all machines that are older than this time, once it has passed."),
  ),
  rolloutStrategy: optional(RolloutStrategy),
  remediationStrategy: optional(
    object("How unhealthy machines are replaced.", {
      maxRetry: optional(integer("How often to retry; default: without limit.")),
      retryPeriod: optional(duration("How long to wait between retries.")),
      minHealthyPeriod: optional(
        duration(
          "How long a machine must have been healthy for its failure not to count as a retry; default 1h.",
        ),
      ),
    }),
  ),
  machineNamingStrategy: optional(MachineNaming),
});

/** The desired state of a control plane. */
export type KubeadmControlPlaneSpec = Static<typeof KubeadmControlPlaneSpec>;
