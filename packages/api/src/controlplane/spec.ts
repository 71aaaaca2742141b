import { KubeadmConfigSpec } from "../bootstrap/kubeadm-config/spec.ts";
import { FALLBACK_ONLY_IN_PLACE } from "../cluster/machine-deployment.ts";
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
  intOrPercent,
  object,
  oneOf,
  optional,
  timestamp,
} from "../schema/schema.ts";

const RollingUpdate = object("The limits of a rolling update.", {
  maxSurge: optional(
    intOrPercent(
      "1 adds a machine before one goes, 0 takes one away first and needs at least 3 replicas; 1 unless set.",
    ),
  ),
});

const RolloutStrategy = object(
  "How machines are brought to a new version or template.",
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

/** The wanted state of a control plane. */
export const KubeadmControlPlaneSpec = object("The wanted state of the control plane.", {
  replicas: optional(
    integer("How many machines there are to be; odd unless etcd is external, and 1 unless set.", {
      minimum: 1,
    }),
  ),
  version: described(
    "The Kubernetes version; at most one minor version is gone up at a time.",
    KubernetesVersion,
  ),
  machineTemplate: object("What machines are made from.", {
    metadata: optional(TemplateMetadata),
    infrastructureRef: described("The template of the infrastructure machines.", ObjectReference),
    readinessGates: optional(ConditionGates),
    taints: optional(MachineTaints),
    ...deletionTimeouts,
  }),
  kubeadmConfigSpec: KubeadmConfigSpec,
  rolloutBefore: optional(
    object("Replace machines before something happens to them.", {
      certificatesExpiryDays: optional(
        integer("Replace machines whose certificates expire within this many days.", { minimum: 7 }),
      ),
    }),
  ),
  rolloutAfter: optional(
    timestamp("Replace all machines that are older than this moment, once it has come."),
  ),
  rolloutStrategy: optional(RolloutStrategy),
  remediationStrategy: optional(
    object("How unhealthy machines are replaced.", {
      maxRetry: optional(integer("How often to try again; for ever unless set.")),
      retryPeriod: optional(duration("How long to wait between tries.")),
      minHealthyPeriod: optional(
        duration(
          "How long a machine must have been healthy for its failure not to count as a retry; 1h unless set.",
        ),
      ),
    }),
  ),
  machineNamingStrategy: optional(MachineNaming),
});

/** The wanted state of a control plane. */
export type KubeadmControlPlaneSpec = Static<typeof KubeadmControlPlaneSpec>;
