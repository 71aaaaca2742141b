import {
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  AGE_COLUMN,
  PAUSED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  versionColumn,
} from "../printer-columns.ts";
import { machineSetV1Beta1 } from "../conversion/machine-set.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { labelValueFor } from "../kubernetes/names.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS, SCALE_BY_SELECTOR } from "./group.ts";
import { defaultSelector, machineOwnerErrors } from "./machine-owner-rules.ts";
import { defaultMachineSpec, labelWithCluster } from "./machine-rules.ts";
import { defaultReplicas } from "./replicas.ts";
import { Spec, Status } from "./v1beta2/machine-set.ts";
import { SET_NAME_LABEL } from "./well-known.ts";

/** Maintains a number of equal machines. */
export const MachineSet = defineKind({
  ...CLUSTER_API,
  kind: "MachineSet",
  plural: "machinesets",
  shortNames: ["ms"],
  description: "Maintains a number of equal machines.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  converted: [machineSetV1Beta1],
  applyDefaults(draft, old) {
    const { metadata, spec: set } = draft;
    labelWithCluster(metadata, set.clusterName);
    set.replicas ??= defaultReplicas(metadata, old?.spec.replicas);
    set.deletion = { order: "Random", ...set.deletion };
    defaultSelector(set, SET_NAME_LABEL, labelValueFor(metadata.name));
    defaultMachineSpec(set.template.spec);
  },
  validate({ object: set, old }) {
    return machineOwnerErrors(set, old);
  },
});

/** Maintains a number of equal machines. */
export type MachineSet = ObjectOf<typeof MachineSet>;
