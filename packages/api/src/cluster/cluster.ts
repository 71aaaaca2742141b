import { Conditions } from "../kubernetes/condition.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { labelValueProblems } from "../kubernetes/names.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { clusterV1Beta2 } from "../conversion/cluster.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  type Static,
  anyObject,
  boolean,
  described,
  integer,
  listOf,
  long,
  object,
  oneOf,
  optional,
  string,
} from "../schema/schema.ts";
import { type FieldError, forbidden, invalid, required } from "../values/field-error.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import { cidrErrors } from "../values/value-errors.ts";
import { AGE_COLUMN, PHASE_COLUMN, versionColumn } from "../printer-columns.ts";
import { ControlPlaneEndpoint, FailureDomains } from "./infrastructure-contract.ts";
import { ConditionGates } from "./machine-fields.ts";
import { defaultReferenceNamespaces, referenceNamespaceErrors } from "./machine-rules.ts";
import { Topology } from "./topology.ts";

const NetworkRanges = object("Address ranges.", {
  cidrBlocks: listOf(
    "The ranges.",
    string("A CIDR block, such as 10.0.0.0/16.", { minLength: 1, maxLength: 43 }),
    {
      maxItems: 100,
    },
  ),
});

const ClusterNetwork = object("The network of the cluster.", {
  apiServerPort: optional(integer("The port of the API server; default: 6443.")),
  services: optional(described("The addresses of services.", NetworkRanges)),
  pods: optional(described("The addresses of pods.", NetworkRanges)),
  serviceDomain: optional(string("The domain of services.", { minLength: 1, maxLength: 253 })),
});

const Spec = object("The desired state of the cluster.", {
  paused: optional(boolean("Whether the controllers ignore the cluster and everything in it.")),
  clusterNetwork: optional(ClusterNetwork),
  controlPlaneEndpoint: optional(ControlPlaneEndpoint),
  controlPlaneRef: optional(described("The object that runs the control plane.", ObjectReference)),
  infrastructureRef: optional(
    described("The object that has the infrastructure of the cluster.", ObjectReference),
  ),
  topology: optional(Topology),
  availabilityGates: optional(
    described("Further conditions that must be true before the cluster counts as available.", ConditionGates),
  ),
});

type Spec = Static<typeof Spec>;

const Status = object("The observed state of the cluster.", {
  failureDomains: optional(FailureDomains),
  failureReason: optional(string("Why the cluster failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the cluster failed for good.", { minLength: 1, maxLength: 10240 })),
  phase: optional(
    oneOf("The phase of the cluster.", [
      "Pending",
      "Provisioning",
      "Provisioned",
      "Deleting",
      "Failed",
      "Unknown",
    ]),
  ),
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  controlPlaneReady: optional(boolean("Whether the control plane answers.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** A Kubernetes cluster. */
export const Cluster = defineKind({
  ...CLUSTER_API,
  kind: "Cluster",
  plural: "clusters",
  shortNames: ["cl"],
  description: "A Kubernetes cluster.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [
    {
      name: "ClusterClass",
      type: "string",
      jsonPath: ".spec.topology.class",
      description: "The class it is made from.",
    },
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.topology.version"),
  ],
  converted: [clusterV1Beta2],
  applyDefaults(draft) {
    const { infrastructureRef, controlPlaneRef } = draft.spec;
    defaultReferenceNamespaces([infrastructureRef, controlPlaneRef], draft.metadata.namespace);
  },
  validate({ object: cluster, old }) {
    const { metadata, spec: wanted } = cluster;
    return [
      ...labelValueProblems(metadata.name).map((problem) =>
        invalid("metadata.name", metadata.name, `must be a valid label value: ${problem}`),
      ),
      ...referenceErrors(wanted, old?.spec),
      ...referenceNamespaceErrors("spec.infrastructureRef", wanted.infrastructureRef, metadata.namespace),
      ...referenceNamespaceErrors("spec.controlPlaneRef", wanted.controlPlaneRef, metadata.namespace),
      ...networkErrors(wanted.clusterNetwork),
      ...(wanted.topology
        ? [
            forbidden(
              "spec.topology",
              "ClusterClass is not supported yet; set spec.infrastructureRef and spec.controlPlaneRef instead",
            ),
          ]
        : []),
    ];
  },
});

/** A Kubernetes cluster. */
export type Cluster = ObjectOf<typeof Cluster>;

function referenceErrors(wanted: Frozen<Spec>, old: Frozen<Spec> | undefined): FieldError[] {
  const nothing = !wanted.controlPlaneRef && !wanted.infrastructureRef && !wanted.topology;
  const removed = (["infrastructureRef", "controlPlaneRef"] as const).filter(
    (field) => old?.[field] && !wanted[field],
  );
  return [
    ...(nothing
      ? [required("spec", "set at least one of spec.controlPlaneRef and spec.infrastructureRef")]
      : []),
    ...removed.map((field) => forbidden(`spec.${field}`, "cannot be removed")),
  ];
}

function networkErrors(network: Frozen<Spec>["clusterNetwork"]): FieldError[] {
  return (["pods", "services"] as const).flatMap((kind) =>
    cidrErrors(`spec.clusterNetwork.${kind}.cidrBlocks`, network?.[kind]?.cidrBlocks),
  );
}
