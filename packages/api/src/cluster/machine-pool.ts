import { Conditions } from "../kubernetes/condition.ts";
import { machinePoolV1Beta2 } from "../conversion/machine-pool.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  type Static,
  anyObject,
  boolean,
  integer,
  long,
  object,
  optional,
  string,
} from "../schema/schema.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden } from "../values/field-error.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  PHASE_COLUMN,
  conditionColumn,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import { ClusterName, MachineTemplate, Versions, replicaFields } from "./machine-fields.ts";
import { poolLists, poolObservations } from "./machine-pool-fields.ts";
import {
  defaultMachineSpec,
  immutableErrors,
  labelWithCluster,
  machineTemplateErrors,
} from "./machine-rules.ts";
import { autoscalerErrors, defaultReplicas } from "./replicas.ts";

const Spec = object("The desired state of the pool.", {
  clusterName: ClusterName,
  ...replicaFields,
  template: MachineTemplate,
  ...poolLists,
});

const Status = object("The observed state of the pool.", {
  ...poolObservations,
  replicas: optional(integer("How many machines there are.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  unavailableReplicas: optional(integer("How many machines are missing or not available.")),
  upToDateReplicas: optional(integer("How many machines are up to date.")),
  failureReason: optional(string("Why the pool failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the pool failed for good.", { minLength: 1, maxLength: 10240 })),
  bootstrapReady: optional(boolean("Whether the bootstrap data is available.")),
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  versions: optional(Versions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** A group of machines that the cloud manages as one, such as a scale set. */
export const MachinePool = defineKind({
  ...CLUSTER_API,
  kind: "MachinePool",
  plural: "machinepools",
  shortNames: ["mp"],
  description: "A group of machines that the cloud manages as one, such as a scale set.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    countColumn("Current", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Available", "availableReplicas", "The number of available machines."),
    countColumn("Up-to-date", "upToDateReplicas", "The number of machines that are up to date."),
    conditionColumn("Paused", "Paused", 1),
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  converted: [machinePoolV1Beta2],
  applyDefaults(draft, old) {
    const { metadata, spec: pool } = draft;
    labelWithCluster(metadata, pool.clusterName);
    pool.replicas ??= defaultReplicas(metadata, old?.spec.replicas);
    pool.minReadySeconds ??= 0;
    defaultMachineSpec(pool.template.spec, metadata.namespace);
  },
  validate({ object: pool, old }) {
    const taints = pool.spec.template.spec.taints ?? [];
    return [
      ...machineTemplateErrors(pool.spec, pool.metadata.namespace),
      ...autoscalerErrors(pool.metadata),
      ...(taints.length > 0
        ? [
            forbidden(
              "spec.template.spec.taints",
              "a pool cannot pass taints on; set them in the bootstrap config instead",
            ),
          ]
        : []),
      ...(old ? immutableErrors("spec.clusterName", pool.spec.clusterName, old.spec.clusterName) : []),
      ...(old ? zoneErrors(pool.spec, old) : []),
    ];
  },
});

/** Azure fixes the zones of a scale set when it creates it; refused at admission, because no later action can help. */
function zoneErrors(
  { failureDomains = [], template }: Frozen<Static<typeof Spec>>,
  old: Frozen<{ spec: Static<typeof Spec>; status?: Static<typeof Status> }>,
): FieldError[] {
  const { failureDomains: before = [] } = old.spec;
  const isBuilt = old.status?.infrastructureReady === true;
  if (template.spec.infrastructureRef.kind !== "AzureMachinePool" || !isBuilt) return [];
  if (deepEqual(failureDomains.toSorted(), before.toSorted())) return [];
  const advice = "create another pool with the new zones, then delete this one";
  return [
    forbidden(
      "spec.failureDomains",
      `the zones of a scale set cannot change; they were ${JSON.stringify(before)}: ${advice}`,
    ),
  ];
}

/** A group of machines that the cloud manages as one, such as a scale set. */
export type MachinePool = ObjectOf<typeof MachinePool>;
