import { Conditions } from "../kubernetes/condition.ts";
import { LabelSelector } from "../kubernetes/label-selector.ts";
import { labelValueFor } from "../kubernetes/names.ts";
import { machineSetV1Beta2 } from "../conversion/machine-set.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { anyObject, described, integer, long, object, optional, string } from "../schema/schema.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS, SCALE_BY_SELECTOR } from "./group.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import {
  ClusterName,
  DeletePolicy,
  MachineNaming,
  MachineTemplate,
  ScaleSelector,
  Versions,
  replicaFields,
} from "./machine-fields.ts";
import { defaultSelector, machineOwnerErrors } from "./machine-owner-rules.ts";
import { defaultMachineSpec, labelWithCluster } from "./machine-rules.ts";
import { machineSetProgress } from "./machine-set-status.ts";
import { defaultReplicas } from "./replicas.ts";
import { SET_NAME_LABEL } from "./well-known.ts";

const Spec = object("The desired state of the machine set.", {
  clusterName: ClusterName,
  ...replicaFields,
  deletePolicy: optional(DeletePolicy),
  selector: described(
    "Selects the machines of the set. It must match the labels of the template.",
    LabelSelector,
  ),
  template: MachineTemplate,
  machineNamingStrategy: optional(MachineNaming),
});

const Status = object("The observed state of the machine set.", {
  selector: optional(ScaleSelector),
  replicas: optional(integer("How many machines there are.")),
  fullyLabeledReplicas: optional(integer("How many machines have all labels of the template.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  ...machineSetProgress,
  observedGeneration: optional(long("The generation that the controller last observed.")),
  failureReason: optional(string("Why the set failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the set failed for good.", { minLength: 1, maxLength: 10240 })),
  conditions: optional(Conditions),
  versions: optional(Versions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** Maintains a number of equal machines. */
export const MachineSet = defineKind({
  ...CLUSTER_API,
  kind: "MachineSet",
  plural: "machinesets",
  shortNames: ["ms"],
  description: "Maintains a number of equal machines.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    countColumn("Replicas", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Available", "availableReplicas", "The number of available machines."),
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  converted: [machineSetV1Beta2],
  applyDefaults(draft, old) {
    const { metadata, spec: set } = draft;
    labelWithCluster(metadata, set.clusterName);
    set.replicas ??= defaultReplicas(metadata, old?.spec.replicas);
    set.deletePolicy ??= "Random";
    defaultSelector(set, SET_NAME_LABEL, labelValueFor(metadata.name));
    defaultMachineSpec(set.template.spec, metadata.namespace);
  },
  validate({ object: set, old }) {
    return machineOwnerErrors(set, old);
  },
});

/** Maintains a number of equal machines. */
export type MachineSet = ObjectOf<typeof MachineSet>;
