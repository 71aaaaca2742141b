import {
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  PHASE_COLUMN,
  AGE_COLUMN,
  PAUSED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  versionColumn,
} from "../printer-columns.ts";
import { machinePoolV1Beta1 } from "../conversion/machine-pool.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import type { Static } from "../schema/schema.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden } from "../values/field-error.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import {
  defaultMachineSpec,
  immutableErrors,
  labelWithCluster,
  machineTemplateErrors,
} from "./machine-rules.ts";
import { autoscalerErrors, defaultReplicas } from "./replicas.ts";
import { Spec, Status } from "./v1beta2/machine-pool.ts";

/** A group of machines that the cloud manages as one, such as a scale set. */
export const MachinePool = defineKind({
  ...CLUSTER_API,
  kind: "MachinePool",
  plural: "machinepools",
  shortNames: ["mp"],
  description: "A group of machines that the cloud manages as one, such as a scale set.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  converted: [machinePoolV1Beta1],
  applyDefaults(draft, old) {
    const { metadata, spec: pool } = draft;
    labelWithCluster(metadata, pool.clusterName);
    pool.replicas ??= defaultReplicas(metadata, old?.spec.replicas);
    defaultMachineSpec(pool.template.spec);
  },
  validate({ object: pool, old }) {
    const taints = pool.spec.template.spec.taints ?? [];
    return [
      ...machineTemplateErrors(pool.spec),
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
  const isBuilt = old.status?.initialization?.infrastructureProvisioned === true;
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
