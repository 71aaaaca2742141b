import { defaultKubeadmConfigSpec } from "../bootstrap/kubeadm-config/rules.ts";
import { ONE_VERSION_PER_CONTRACT, SCALE_BY_SELECTOR, providerLabels } from "../cluster/group.ts";
import { ScaleSelector } from "../cluster/machine-fields.ts";
import {
  AGE_COLUMN,
  CLUSTER_LABEL_COLUMN,
  DESIRED_COLUMN,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import { inPlaceGateErrors } from "../cluster/in-place-strategy.ts";
import { Versions } from "../cluster/machine-fields.ts";
import { defaultReferenceNamespaces } from "../cluster/machine-rules.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { kubeadmControlPlaneV1Beta2 } from "../conversion/kubeadm-control-plane.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { anyObject, boolean, integer, long, object, optional, string, timestamp } from "../schema/schema.ts";
import { withLeadingV } from "../values/version.ts";
import { controlPlaneErrors, controlPlaneUpdateErrors, controlPlaneWarnings } from "./rules.ts";
import { controlPlaneProgress } from "./shared-fields.ts";
import { KubeadmControlPlaneSpec } from "./spec.ts";

const Status = object("The observed state of the control plane.", {
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

/** Runs the control plane of a cluster on machines, with kubeadm. */
export const KubeadmControlPlane = defineKind({
  group: "controlplane.cluster.x-k8s.io",
  version: "v1beta1",
  kind: "KubeadmControlPlane",
  plural: "kubeadmcontrolplanes",
  shortNames: ["kcp"],
  description: "Runs the control plane of a cluster on machines, with kubeadm.",
  spec: KubeadmControlPlaneSpec,
  status: Status,
  crdLabels: providerLabels("control-plane-kubeadm", ONE_VERSION_PER_CONTRACT),
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_LABEL_COLUMN,
    {
      name: "Initialized",
      type: "boolean",
      jsonPath: ".status.initialized",
      description: "Whether the first machine is initialized.",
    },
    {
      name: "API Server Available",
      type: "boolean",
      jsonPath: ".status.ready",
      description: "Whether the API server answers.",
    },
    DESIRED_COLUMN,
    countColumn("Replicas", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Updated", "updatedReplicas", "The number of machines with the new version and template."),
    countColumn("Unavailable", "unavailableReplicas", "The number of machines missing or not ready."),
    AGE_COLUMN,
    versionColumn(".spec.version"),
  ],
  converted: [kubeadmControlPlaneV1Beta2],
  applyDefaults(draft) {
    const { metadata, spec } = draft;
    spec.replicas ??= 1;
    spec.version = withLeadingV(spec.version);
    defaultReferenceNamespaces([spec.machineTemplate.infrastructureRef], metadata.namespace);
    defaultKubeadmConfigSpec(spec.kubeadmConfigSpec);
    defaultStrategy(spec);
  },
  validate({ object: controlPlane, old, features }) {
    return [
      ...controlPlaneErrors(controlPlane.spec, controlPlane.metadata.namespace),
      ...(old ? controlPlaneUpdateErrors(controlPlane.spec, old) : []),
      ...inPlaceGateErrors("spec.rolloutStrategy.type", {
        type: controlPlane.spec.rolloutStrategy?.type,
        oldType: old?.spec.rolloutStrategy?.type,
        features,
      }),
    ];
  },
  warn({ object: controlPlane }) {
    return controlPlaneWarnings(controlPlane.spec);
  },
});

/** Runs the control plane of a cluster on machines, with kubeadm. */
export type KubeadmControlPlane = ObjectOf<typeof KubeadmControlPlane>;

function defaultStrategy(spec: KubeadmControlPlaneSpec): void {
  const strategy = (spec.rolloutStrategy ??= {});
  strategy.type ??= "RollingUpdate";
  if (strategy.type === "RollingUpdate") strategy.rollingUpdate = { maxSurge: 1, ...strategy.rollingUpdate };
  if (strategy.fallbackRollingUpdate) {
    strategy.fallbackRollingUpdate = { maxSurge: 1, ...strategy.fallbackRollingUpdate };
  }
}
