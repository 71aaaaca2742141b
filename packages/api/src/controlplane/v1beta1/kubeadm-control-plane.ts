import { KubeadmConfigSpec } from "../../bootstrap/v1beta1/spec.ts";
import { FALLBACK_ONLY_IN_PLACE } from "../../cluster/in-place-strategy.ts";
import { KubernetesVersion, ScaleSelector, Versions } from "../../cluster/machine-fields.ts";
import { ConditionGates, MachineNaming, deletionTimeouts } from "../../cluster/v1beta1/fields.ts";
import { Conditions } from "../../kubernetes/condition.ts";
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import { MachineTaints } from "../../kubernetes/taint.ts";
import { TemplateMetadata } from "../../kubernetes/template-metadata.ts";
import {
  anyObject,
  boolean,
  described,
  duration,
  integer,
  long,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { controlPlaneProgress, rollingUpdateFields } from "../shared-fields.ts";

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

/** The spec of a KubeadmControlPlane of v1beta1. */
export const Spec = object("The desired state of the control plane.", {
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

/** The status of a KubeadmControlPlane of v1beta1. */
export const Status = object("The observed state of the control plane.", {
  selector: optional(ScaleSelector),
  replicas: optional(integer("How many machines there are.")),
  version: optional(string("The lowest version of the machines.", { minLength: 1, maxLength: 256 })),
  updatedReplicas: optional(integer("How many machines have the new version and template.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  unavailableReplicas: optional(integer("How many machines are missing or not ready.")),
  initialized: optional(boolean("Whether the first machine has run `kubeadm init`.")),
  ready: optional(boolean("Whether the API server answers.")),
  failureReason: optional(string("Why the control plane failed for good, in CamelCase.")),
  failureMessage: optional(
    string("Why the control plane failed for good.", { minLength: 1, maxLength: 10240 }),
  ),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  lastRemediation: optional(
    object("The machine that was last replaced because it was unhealthy.", {
      machine: string("The name of the machine.", { minLength: 1, maxLength: 253 }),
      timestamp: timestamp("When it was replaced."),
      retryCount: integer("How often it has been retried."),
    }),
  ),
  versions: optional(Versions),
  ...controlPlaneProgress,
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
