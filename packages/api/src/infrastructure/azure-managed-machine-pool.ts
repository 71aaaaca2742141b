import { type AdmissionRequest, type CustomObject, type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import {
  type Static,
  anyObject,
  boolean,
  integer,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  quantity,
  string,
} from "../schema/schema.ts";
import { type FieldError, errorIf, invalid } from "../values/field-error.ts";
import { asoPatchErrors } from "./aso-patch-rules.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { Initialization } from "./initialization.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, readyColumn } from "../printer-columns.ts";
import { type ImmutableField, immutableFieldErrors } from "./immutable.ts";
import { networkNameErrors } from "./names.ts";
import { LongRunningOperationStates } from "./operation.ts";
import { changedTagErrors } from "./tags.ts";
import { armIdProblem, hasArmType, parseArmId } from "../values/arm-id.ts";

const Taint = object("Repels pods that do not tolerate it.", {
  key: string("Its key."),
  value: string("Its value."),
  effect: oneOf("What happens to pods.", ["NoSchedule", "NoExecute", "PreferNoSchedule"]),
});

const Spec = object(
  "The desired state of the node pool.",
  {
    mode: oneOf("Whether system pods run here too.", ["System", "User"]),
    sku: string("The size of the VMs."),
    name: optional(string("The name in AKS; default: the name of the object.")),
    osType: optional(
      oneOf("The operating system. Only Linux is supported.", ["Linux", "Windows"], { default: "Linux" }),
    ),
    osDiskSizeGB: optional(integer("The size of the disk that nodes boot from, in GB.")),
    osDiskType: optional(oneOf("Where that disk lives.", ["Ephemeral", "Managed"], { default: "Managed" })),
    availabilityZones: optional(listOf("The zones of the nodes.", string("A zone."))),
    scaling: optional(
      object("Limits for the autoscaler; presence enables it.", {
        minSize: optional(integer("The minimum number of nodes.")),
        maxSize: optional(integer("The maximum number of nodes.")),
      }),
    ),
    scaleDownMode: optional(
      oneOf("What happens to surplus nodes.", ["Deallocate", "Delete"], { default: "Delete" }),
    ),
    scaleSetPriority: optional(oneOf("Whether nodes run on spare capacity.", ["Regular", "Spot"])),
    spotMaxPrice: optional(quantity("The maximum price for an hour of spare capacity, in US dollars.")),
    maxPods: optional(integer("The maximum number of pods on a node, 10 to 250.")),
    nodeLabels: optional(mapOf("Labels of the nodes.", string("A value."))),
    taints: optional(listOf("Taints of the nodes.", Taint)),
    subnetName: optional(string("The subnet of the nodes.")),
    enableEncryptionAtHost: optional(boolean("Whether the host encrypts all disks.")),
    enableFIPS: optional(boolean("Whether the image is FIPS-enabled.")),
    enableNodePublicIP: optional(boolean("Whether each node has a public address.")),
    nodePublicIPPrefixID: optional(string("The ARM id of the prefix of those addresses.")),
    enableUltraSSD: optional(boolean("Whether ultra disks can be attached.")),
    kubeletConfig: optional(anyObject("Settings of the kubelets.")),
    kubeletDiskType: optional(oneOf("Where the kubelets store their data.", ["OS", "Temporary"])),
    linuxOSConfig: optional(anyObject("Settings of the kernel.")),
    additionalTags: optional(mapOf("Azure tags for the pool.", string("A value."))),
    providerIDList: optional(
      listOf("The provider ids of the nodes. Set by the controller.", string("A provider id.")),
    ),
    asoManagedClustersAgentPoolPatches: optional(
      listOf(
        "Patches over the ASO ManagedClustersAgentPool, in order: JSON merge patches (objects) or JSON patches (lists).",
        string("A patch, as YAML or JSON."),
      ),
    ),
  },
  { preserveUnknown: true },
);

const Status = object(
  "The observed state of the node pool.",
  {
    ready: optional(boolean("Whether the pool is ready.")),
    initialization: optional(Initialization),
    replicas: optional(integer("The number of nodes.")),
    errorReason: optional(string("Why the pool failed, in CamelCase.")),
    errorMessage: optional(string("Why the pool failed.")),
    conditions: optional(Conditions),
    longRunningOperationStates: optional(LongRunningOperationStates),
  },
  { preserveUnknown: true },
);

type Pool = CustomObject<Static<typeof Spec>, Static<typeof Status>>;

/** The label by which other objects find System pools. */
export const AGENT_POOL_MODE_LABEL = "azuremanagedmachinepool.infrastructure.cluster.x-k8s.io/agentpoolmode";

/** A node pool of an AKS cluster. */
export const AzureManagedMachinePool = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureManagedMachinePool",
  plural: "azuremanagedmachinepools",
  shortNames: ["ammp"],
  description: "A node pool of an AKS cluster.",
  spec: Spec,
  status: Status,
  columns: [
    CLUSTER_LABEL_COLUMN,
    readyColumn("Ready"),
    readyColumn("Severity"),
    readyColumn("Reason"),
    readyColumn("Message", 1),
    AGE_COLUMN,
    { name: "Mode", type: "string", jsonPath: ".spec.mode" },
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: ({ spec, metadata }) => {
    spec.name ||= metadata.name;
    metadata.labels = { ...metadata.labels, [AGENT_POOL_MODE_LABEL]: spec.mode };
  },
  validate,
  warn: ({ object: { spec } }) =>
    DOUBTS.filter(({ isRaisedBy }) => isRaisedBy(spec)).map((one) => one.warning),
});

/** A node pool of an AKS cluster. */
export type AzureManagedMachinePool = ObjectOf<typeof AzureManagedMachinePool>;

const FIXED = [
  "name",
  "osType",
  "sku",
  "osDiskSizeGB",
  "osDiskType",
  "subnetName",
  "availabilityZones",
  "maxPods",
  "scaleSetPriority",
  "enableEncryptionAtHost",
  "enableFIPS",
  "enableUltraSSD",
  "enableNodePublicIP",
  "nodePublicIPPrefixID",
  "kubeletConfig",
  "kubeletDiskType",
  "linuxOSConfig",
] as const;

const IMMUTABLE: readonly ImmutableField<Frozen<Pool>>[] = FIXED.map((field) => ({
  path: `spec.${field}`,
  // The order of zones means nothing.
  read: ({ spec }) => (field === "availabilityZones" ? spec[field]?.toSorted() : spec[field]),
  instead: "AKS cannot change it on a node pool; create a new pool and delete this one",
}));

interface Doubt {
  readonly isRaisedBy: (spec: Frozen<Pool>["spec"]) => boolean;
  readonly warning: string;
}

// What AKS itself refuses is only warned about: AKS may allow it one day, and its own answer is in the condition.
const DOUBTS: readonly Doubt[] = [
  {
    isRaisedBy: ({ mode, scaleSetPriority }) => mode === "System" && scaleSetPriority === "Spot",
    warning: "spec.scaleSetPriority Spot: AKS refuses it for a pool of mode System",
  },
  {
    isRaisedBy: ({ linuxOSConfig, kubeletConfig }) =>
      typeof linuxOSConfig?.["swapFileSizeMB"] === "number" && kubeletConfig?.["failSwapOn"] !== false,
    warning: "spec.linuxOSConfig.swapFileSizeMB: AKS wants spec.kubeletConfig.failSwapOn false for it",
  },
  {
    isRaisedBy: ({ kubeletConfig }) => {
      const { imageGcHighThreshold: high, imageGcLowThreshold: low } = kubeletConfig ?? {};
      return typeof high === "number" && typeof low === "number" && low >= high;
    },
    warning: "spec.kubeletConfig.imageGcLowThreshold: AKS wants it below imageGcHighThreshold",
  },
];

function validate({ object: pool, old }: AdmissionRequest<Pool>): readonly FieldError[] {
  const { spec } = pool;
  return [
    ...nameErrors(spec.name),
    ...nodeErrors(spec),
    ...scalingErrors(spec.scaling),
    ...(old ? [] : prefixErrors(spec)),
    ...changedTagErrors("spec.additionalTags", spec.additionalTags, old?.spec.additionalTags),
    ...(spec.subnetName ? networkNameErrors("spec.subnetName", spec.subnetName) : []),
    ...asoPatchErrors("spec.asoManagedClustersAgentPoolPatches", spec.asoManagedClustersAgentPoolPatches),
    ...immutableFieldErrors(pool, old, IMMUTABLE),
  ];
}

function nameErrors(name: string | undefined): readonly FieldError[] {
  return name === undefined || /^[a-z][a-z0-9]{0,11}$/.test(name)
    ? []
    : [invalid("spec.name", name, "must be 1 to 12 lower-case letters or digits and start with a letter")];
}

function nodeErrors(spec: Frozen<Pool>["spec"]): readonly FieldError[] {
  const { osType, maxPods, nodeLabels = {}, nodePublicIPPrefixID, enableNodePublicIP } = spec;
  return [
    ...errorIf(
      osType === "Windows",
      invalid("spec.osType", osType, "Windows nodes are not supported yet; use Linux"),
    ),
    ...errorIf(
      maxPods !== undefined && (maxPods < 10 || maxPods > 250),
      invalid("spec.maxPods", maxPods, "must be between 10 and 250"),
    ),
    ...Object.keys(nodeLabels)
      .filter((label) => label.startsWith("kubernetes.azure.com"))
      .map((label) =>
        invalid("spec.nodeLabels", label, "must not start with kubernetes.azure.com, which AKS reserves"),
      ),
    ...errorIf(
      nodePublicIPPrefixID && !enableNodePublicIP,
      invalid("spec.enableNodePublicIP", enableNodePublicIP, "must be true when nodePublicIPPrefixID is set"),
    ),
  ];
}

/** What cannot change later is checked only once: an object that CAPZ stored can still be changed. */
function prefixErrors({ nodePublicIPPrefixID: id }: Frozen<Pool>["spec"]): readonly FieldError[] {
  const path = "spec.nodePublicIPPrefixID";
  const expected = "must be the ARM id of a Microsoft.Network/publicIPPrefixes";
  return errorIf(id && !isPrefixId(id), invalid(path, id, expected));
}

function isPrefixId(text: string): boolean {
  return (
    armIdProblem(text) === undefined && hasArmType(parseArmId(text), "Microsoft.Network/publicIPPrefixes")
  );
}

function scalingErrors(scaling: Frozen<Pool>["spec"]["scaling"]): readonly FieldError[] {
  const { minSize = 0, maxSize = Number.POSITIVE_INFINITY } = scaling ?? {};
  return minSize > maxSize
    ? [invalid("spec.scaling.minSize", minSize, `must not be greater than maxSize, ${maxSize}`)]
    : [];
}
