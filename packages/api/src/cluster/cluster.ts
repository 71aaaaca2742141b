import {
  PHASE_COLUMN,
  AGE_COLUMN,
  conditionColumn,
  PAUSED_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { clusterV1Beta1 } from "../conversion/cluster.ts";
import { type ObjectOf, type PrinterColumn, defineKind } from "../kind.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { labelValueProblems } from "../kubernetes/names.ts";
import type { Static } from "../schema/schema.ts";
import { type FieldError, forbidden, invalid, required } from "../values/field-error.ts";
import { cidrErrors } from "../values/value-errors.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import { Spec, Status } from "./v1beta2/cluster.ts";

type Spec = Static<typeof Spec>;

/** A Kubernetes cluster. */
export const Cluster = defineKind({
  ...CLUSTER_API,
  kind: "Cluster",
  plural: "clusters",
  shortNames: ["cl"],
  description: "A Kubernetes cluster.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [
    {
      name: "ClusterClass",
      type: "string",
      jsonPath: ".spec.topology.classRef.name",
      description: "The class it is made from.",
    },
    conditionColumn("Available", "Available"),
    ...machineColumns("CP", "controlPlane"),
    ...machineColumns("W", "workers"),
    PAUSED_COLUMN,
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.topology.version"),
  ],
  converted: [clusterV1Beta1],
  validate({ object: cluster, old }) {
    const { metadata, spec: wanted } = cluster;
    return [
      ...labelValueProblems(metadata.name).map((problem) =>
        invalid("metadata.name", metadata.name, `must be a valid label value: ${problem}`),
      ),
      ...referenceErrors(wanted, old?.spec),
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

function machineColumns(title: string, field: string): PrinterColumn[] {
  const column = (name: string, counter: string, priority?: 1): PrinterColumn => ({
    name: `${title} ${name}`,
    type: "integer",
    jsonPath: `.status.${field}.${counter}`,
    description: "The number of such machines.",
    ...(priority && { priority }),
  });
  return [
    column("Desired", "desiredReplicas"),
    column("Current", "replicas", 1),
    column("Ready", "readyReplicas", 1),
    column("Available", "availableReplicas"),
    column("Up-to-date", "upToDateReplicas"),
  ];
}

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
