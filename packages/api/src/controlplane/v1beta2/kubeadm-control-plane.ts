import { StandardConditions } from "../../kubernetes/condition.ts";
import { NonEmptyKubeadmConfigSpec } from "../../bootstrap/v1beta2/spec.ts";
import { FALLBACK_ONLY_IN_PLACE } from "../../cluster/in-place-strategy.ts";
import { KubernetesVersion, ScaleSelector, Versions } from "../../cluster/machine-fields.ts";
import {
  ConditionGates,
  ContractReference,
  deletionTimeouts,
  deprecatedFailure,
  deprecatedStatus,
  MachineNaming,
  NonEmptyTemplateMetadata,
  observedGeneration,
  replicaCounters,
} from "../../cluster/v1beta2/fields.ts";
import { MachineTaints } from "../../kubernetes/taint.ts";
import {
  type Static,
  boolean,
  described,
  integer,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { controlPlaneProgress, rollingUpdateFields } from "../shared-fields.ts";

const NOT_EMPTY = { minProperties: 1 };

const Strategy = object(
  "How machines are updated to a new version or template.",
  {
    type: oneOf(
      "RollingUpdate replaces one machine after the other, ExternalUpdate (also called InPlace) lets updaters change them in place.",
      ["RollingUpdate", "ExternalUpdate", "InPlace"],
    ),
    rollingUpdate: optional(object("The limits of a rolling update.", rollingUpdateFields, NOT_EMPTY)),
    fallbackRollingUpdate: optional(
      object(
        "The limits of the rolling update that follows when the updaters cannot make all changes. Without it nothing is replaced.",
        rollingUpdateFields,
      ),
    ),
  },
  { ...NOT_EMPTY, rules: [FALLBACK_ONLY_IN_PLACE] },
);

const Rollout = object(
  "When and how machines are replaced.",
  {
    before: optional(
      object(
        "Replace machines before an event.",
        {
          certificatesExpiryDays: optional(
            integer("Replace machines whose certificates expire within this many days.", { minimum: 7 }),
          ),
        },
        NOT_EMPTY,
      ),
    ),
    after: optional(timestamp("Replace all machines that are older than this time, once it has passed.")),
    strategy: optional(Strategy),
  },
  NOT_EMPTY,
);

/** The spec of a KubeadmControlPlane of v1beta2. */
export const Spec = object("The desired state of the control plane.", {
  replicas: optional(integer("The desired number of machines; odd unless etcd is external; default 1.")),
  version: described(
    "The Kubernetes version; it can increase by one minor version at a time, and go back only while machines of the lower minor version still run.",
    KubernetesVersion,
  ),
  machineTemplate: object("The template of machines.", {
    metadata: optional(NonEmptyTemplateMetadata),
    spec: object("The desired state of the machines.", {
      infrastructureRef: described("The template of the infrastructure machines.", ContractReference),
      readinessGates: optional(ConditionGates),
      deletion: optional(object("How machines are deleted.", deletionTimeouts, NOT_EMPTY)),
      taints: optional(MachineTaints),
    }),
  }),
  kubeadmConfigSpec: optional(NonEmptyKubeadmConfigSpec),
  rollout: optional(Rollout),
  remediation: optional(
    object(
      "How unhealthy machines are replaced.",
      {
        maxRetry: optional(integer("How often to retry; default: without limit.")),
        retryPeriodSeconds: optional(integer("How long to wait between retries.", { minimum: 0 })),
        minHealthyPeriodSeconds: optional(
          integer(
            "How long a machine must have been healthy for its failure not to count as a retry; default 3600.",
            { minimum: 0 },
          ),
        ),
      },
      NOT_EMPTY,
    ),
  ),
  machineNaming: optional(MachineNaming),
});

/** The desired state of a control plane. */
export type KubeadmControlPlaneSpec = Static<typeof Spec>;

/** The status of a KubeadmControlPlane of v1beta2. */
export const Status = object(
  "The observed state of the control plane.",
  {
    conditions: optional(StandardConditions),
    initialization: optional(
      object(
        "What has been done since the control plane was created.",
        {
          controlPlaneInitialized: optional(boolean("Whether the first machine has run `kubeadm init`.")),
        },
        NOT_EMPTY,
      ),
    ),
    selector: optional(ScaleSelector),
    ...replicaCounters,
    version: optional(string("The lowest version of the machines.", { minLength: 1, maxLength: 256 })),
    observedGeneration,
    lastRemediation: optional(
      object("The machine that was last replaced because it was unhealthy.", {
        machine: string("The name of the machine.", { minLength: 1, maxLength: 253 }),
        time: timestamp("When it was replaced."),
        retryCount: integer("How often it has been retried.", { minimum: 0 }),
      }),
    ),
    versions: optional(Versions),
    ...controlPlaneProgress,
    deprecated: deprecatedStatus({
      ...deprecatedFailure,
      updatedReplicas: optional(integer("How many machines have the new version and template.")),
      readyReplicas: optional(integer("How many machines have a ready node.")),
      unavailableReplicas: optional(integer("How many machines are missing or not ready.")),
    }),
  },
  NOT_EMPTY,
);
