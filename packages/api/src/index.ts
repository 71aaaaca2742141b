/** Every kind Capstan knows: schema, type, defaults and validation from one source. Pure: no I/O, no clock. */
// How kinds are defined, and the list of ours.
export {
  type AdmissionRequest,
  type ConvertedVersion,
  type CustomKind,
  type CustomObject,
  type Kind,
  type KindDefinition,
  type Lookup,
  type ObjectOf,
  type PrinterColumn,
  type ScalePaths,
  builtInKind,
  defineKind,
  defineVersion,
} from "./kind.ts";
export type { Conversion, ConversionContext, Convert, Converted } from "./conversion/conversion.ts";
export { inStoredVersion, ownVersionOf } from "./conversion/stored-form.ts";
export { contractVersionIn, olderContractVersionIn } from "./conversion/contract-version.ts";
export { fieldMoves, type Moves } from "./conversion/field-moves.ts";
export { CONVERSION_DATA_ANNOTATION } from "./conversion/restore-annotation.ts";
export { type VersionConversion, versionConversion } from "./conversion/version-conversion.ts";
export { customKinds, kindOf, servedKind } from "./kinds.ts";
export {
  DEFAULT_FEATURES,
  type Feature,
  FEATURE_NAMES,
  FeatureGateError,
  type Features,
  type FeatureSelection,
  FEATURE_GATES_VARIABLE,
  selectFeatures,
} from "./features.ts";
export { type Verdict, validateObject, withDefaults } from "./admission.ts";
export { hasNoController } from "./without-controller.ts";
export {
  type CrdConversion,
  type CrdVersion,
  CustomResourceDefinition,
  type PrintedSchema,
  openApiSchema,
  toConvertedDefinition,
  toCustomResourceDefinition,
} from "./crd.ts";

// The metadata of every Kubernetes object.
export type { Frozen, KubernetesObject, ObjectMeta, OwnerReference } from "./kubernetes/meta.ts";
export {
  Condition,
  Conditions,
  StandardCondition,
  type StandardConditionUpdate,
} from "./kubernetes/condition.ts";
export {
  CLOCK_SKEW_MS,
  type FalseConditionUpdate,
  type ConditionUpdate,
  type Severity,
  type SummaryOptions,
  deprecatedConditionsOf,
  getCondition,
  isTrue,
  markFalse,
  markTrue,
  markUnknown,
  olderConditionsOf,
  removeCondition,
  reportedCondition,
  setCondition,
  summarizeReady,
} from "./kubernetes/conditions.ts";
export {
  controllerOf,
  controllerReferenceTo,
  ensureOwnerReference,
  groupOf,
  isOwnedBy,
  isSameOwner,
  ownerReferenceTo,
  removeOwnerReference,
} from "./kubernetes/owner-references.ts";
export type { LabelOperator, LabelRequirement } from "./kubernetes/label-selector-text.ts";
export {
  LabelSelector,
  LabelSelectorError,
  type LabelSelectorLike,
  type Selector,
  formatSelector,
  labelSelectorProblem,
  parseLabelSelector,
  selectorMatches,
  selectorOf,
} from "./kubernetes/label-selector.ts";
export {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueFor,
  labelValueProblems,
} from "./kubernetes/names.ts";
export { ContractReference } from "./cluster/v1beta2/fields.ts";
export { ObjectReference } from "./kubernetes/object-reference.ts";
export { MachineTaints, Taint } from "./kubernetes/taint.ts";
export { formatTimestamp } from "./kubernetes/timestamp.ts";

// Kubernetes' own kinds, as far as controllers read them.
export { ConfigMap } from "./kubernetes/config-map.ts";
export { Event } from "./kubernetes/event.ts";
export { Lease } from "./kubernetes/lease.ts";
export { Namespace } from "./kubernetes/namespace.ts";
export {
  type ContainerImage,
  Node,
  type NodeAddress,
  type NodeCondition,
  type NodeInfo,
} from "./kubernetes/node.ts";
export { type Container, Pod, type PodCondition, type PodVolume, type Toleration } from "./kubernetes/pod.ts";
export { Secret } from "./kubernetes/secret.ts";

// Parsers of values that manifests write as text.
export { cidrProblem } from "./values/cidr.ts";
export { assignOwn, deepCopy, deepCopyWithin, deepFreeze, NestingError } from "./values/deep-copy.ts";
export { deepEqual } from "./values/deep-equal.ts";
export { type FieldPath, includes, missingFields } from "./values/includes.ts";
export { isJsonObject, type JsonObject } from "./values/json-object.ts";
export { managersOf, valueAt } from "./kubernetes/managed-fields.ts";
export { DurationError, durationProblem, formatDuration, parseDuration } from "./values/duration.ts";
export {
  type FieldError,
  type FieldErrorType,
  duplicate,
  forbidden,
  formatFieldError,
  invalid,
  notFound,
  notSupported,
  required,
} from "./values/field-error.ts";
export {
  IntOrPercentError,
  type RolloutBudget,
  intOrPercentProblem,
  resolveRolloutBudget,
  scaledValue,
} from "./values/int-or-percent.ts";
export { JsonPatchError, jsonPatch } from "./values/json-patch.ts";
export { jsonPatchBetween, type PatchOperation } from "./values/json-patch-between.ts";
export { applyMergePatch, diffMergePatch } from "./values/merge-patch.ts";
export { nearestName } from "./values/nearest-name.ts";
export {
  type Quantity,
  QuantityError,
  type QuantityFormat,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityProblem,
} from "./values/quantity.ts";
export { newerFirst } from "./values/version-order.ts";
export {
  type Version,
  compareVersions,
  minorSkew,
  parseVersion,
  versionProblem,
  withLeadingV,
} from "./values/version.ts";
export { isDeeperThan, type Manifest, parseManifest, parseYaml, YamlError, yamlText } from "./values/yaml.ts";

// Cluster API's kinds, and its labels and annotations.
export { Cluster } from "./cluster/cluster.ts";
export { Machine } from "./cluster/machine.ts";
export { IN_PLACE_STRATEGIES } from "./cluster/in-place-strategy.ts";
export { MachineDeployment } from "./cluster/machine-deployment.ts";
export { MachineDrainRule } from "./cluster/machine-drain-rule.ts";
export { MachineHealthCheck } from "./cluster/machine-health-check.ts";
export { MachinePool } from "./cluster/machine-pool.ts";
export { MachineSet } from "./cluster/machine-set.ts";
export type { MachineTemplate, MachineTemplateSpec } from "./cluster/v1beta2/fields.ts";
export { KubeadmConfig } from "./bootstrap/kubeadm-config.ts";
export type { KubeadmConfigSpec } from "./bootstrap/v1beta2/spec.ts";
export { KubeadmConfigTemplate } from "./bootstrap/kubeadm-config-template.ts";
export { KubeadmControlPlane } from "./controlplane/kubeadm-control-plane.ts";
export type { KubeadmControlPlaneSpec } from "./controlplane/v1beta2/kubeadm-control-plane.ts";
export { ExtensionConfig } from "./runtime-extension/extension-config.ts";
export type {
  CanUpdateMachineRequest,
  CanUpdateMachineResponse,
  UpdateMachineRequest,
  UpdateMachineResponse,
} from "./runtime-extension/in-place-hooks.ts";
export {
  BLOCK_MOVE_ANNOTATION,
  AUTOSCALER_MAX_SIZE_ANNOTATION,
  AUTOSCALER_MIN_SIZE_ANNOTATION,
  CLONED_FROM_GROUP_KIND_ANNOTATION,
  CLONED_FROM_NAME_ANNOTATION,
  CLUSTER_NAME_LABEL,
  CONTROL_PLANE_LABEL,
  CONTROL_PLANE_NAME_LABEL,
  DELETE_MACHINE_ANNOTATION,
  DEPLOYMENT_NAME_LABEL,
  DESIRED_REPLICAS_ANNOTATION,
  DISABLE_MACHINE_CREATE_ANNOTATION,
  MAX_REPLICAS_ANNOTATION,
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  REVISION_HISTORY_LIMIT_ANNOTATION,
  TEMPLATE_HASH_LABEL,
  EXCLUDE_NODE_DRAINING_ANNOTATION,
  EXCLUDE_VOLUME_DETACH_ANNOTATION,
  isPausedByAnnotation,
  MANAGED_BY_ANNOTATION,
  OUTDATED_REVISION_TAINT,
  PAUSED_ANNOTATION,
  POOL_NAME_LABEL,
  PRE_DRAIN_HOOK_PREFIX,
  PRE_TERMINATE_HOOK_PREFIX,
  REMEDIATE_MACHINE_ANNOTATION,
  REPLICAS_MANAGED_BY_ANNOTATION,
  SET_NAME_LABEL,
  STARTED_UPDATES_ANNOTATION,
  SKIP_PREFLIGHT_CHECKS_ANNOTATION,
  SKIP_REMEDIATION_ANNOTATION,
  HANDS_OVER_MACHINES_ANNOTATION,
  INJECT_CA_ANNOTATION,
  PENDING_HOOKS_ANNOTATION,
  RECEIVES_MACHINES_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
  RETRY_UPDATE_ANNOTATION,
  UNINITIALIZED_TAINT,
  UPDATE_APPROVAL_ANNOTATION,
  UPDATE_APPROVED_ANNOTATION,
  APPROVED_UPDATE_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
  UPDATED_FROM_VERSION_ANNOTATION,
  UPDATE_MACHINE_HOOK,
  UPDATER_ORDER_ANNOTATION,
  WATCH_LABEL,
} from "./cluster/well-known.ts";
export { hasUpdateFailed, isUpdatePending, isUpdatingInPlace } from "./cluster/update-progress.ts";

// Azure's kinds, and what reconcilers and the command line need to read them.
export { AzureCluster } from "./infrastructure/azure-cluster/azure-cluster.ts";
export type { LoadBalancer } from "./infrastructure/azure-cluster/load-balancer.ts";
export type { Subnet } from "./infrastructure/azure-cluster/subnet.ts";
export { boundedText } from "./values/bounded-text.ts";
export { identityFile, type IdentityFile } from "./infrastructure/identity-file.ts";
export { identitySecret, type IdentitySecret } from "./infrastructure/identity-secret.ts";
export { AzureClusterTemplate } from "./infrastructure/azure-cluster-template.ts";
export { AzureClusterIdentity } from "./infrastructure/azure-cluster-identity.ts";
export { AzureMachine, type AzureMachineSpec } from "./infrastructure/azure-machine.ts";
export { AzureMachineTemplate } from "./infrastructure/azure-machine-template.ts";
/** Which fields of an AzureMachine have no effect here. */
export { unsupportedErrors } from "./infrastructure/not-supported.ts";
export {
  baseImageOf,
  isPromotedInSpec,
  PROTOTYPE_BASE_ANNOTATION,
  type PromotedSpec,
  promotedSpecOf,
} from "./infrastructure/azure-machine-pool/base-image.ts";
export { machineSpecIn, templatePrototypingOf } from "./infrastructure/template-prototyping.ts";
export { AzureMachinePool } from "./infrastructure/azure-machine-pool/azure-machine-pool.ts";
export {
  type NodePrototyping,
  nodePrototypingOf,
  PROTOTYPE_DONOR_ANNOTATION,
  PROTOTYPE_IMAGE_ANNOTATION,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_PIN_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
  LAST_PATCH_ANNOTATION,
  PROTOTYPE_VERSION_ANNOTATION,
} from "./infrastructure/azure-machine-pool/node-prototyping.ts";
export type { NodePrototypingStatus } from "./infrastructure/azure-machine-pool/node-prototyping-status.ts";
export {
  AzureMachinePoolMachine,
  UPDATE_INSTANCE_ANNOTATION,
} from "./infrastructure/azure-machine-pool-machine.ts";
export { AzureManagedCluster } from "./infrastructure/azure-managed-cluster.ts";
export { AzureManagedControlPlane } from "./infrastructure/azure-managed-control-plane/azure-managed-control-plane.ts";
export {
  AGENT_POOL_MODE_LABEL,
  AzureManagedMachinePool,
} from "./infrastructure/azure-managed-machine-pool.ts";
export {
  type AsoPatch,
  AsoPatchError,
  type AsoPatchOperation,
  parseAsoPatch,
  parsePointer,
} from "./infrastructure/aso-patch.ts";
export { protectedPointers } from "./infrastructure/aso-patch-rules.ts";
export { type Image, isGalleryImage } from "./infrastructure/image.ts";
export { HASH_TAG, type LongRunningOperationState, type Operation } from "./infrastructure/operation.ts";
export {
  type ArmId,
  ArmIdError,
  type ArmIdPart,
  armIdProblem,
  armIdType,
  formatArmId,
  hasArmType,
  parentArmId,
  parseArmId,
  sameArmId,
} from "./values/arm-id.ts";
export {
  type ProviderId,
  type ScaleSetId,
  type ScaleSetInstanceId,
  type VirtualMachineId,
  armIdOf,
  formatProviderId,
  parseProviderId,
  providerIdProblem,
  sameProviderId,
} from "./values/provider-id.ts";

// Azure Service Operator's kinds, with all fields preserved.
export type { AsoCondition, AsoObject } from "./aso/aso-resource.ts";
export { ManagedCluster, ManagedClustersAgentPool } from "./aso/managed-cluster.ts";
export { ResourceGroup } from "./aso/resource-group.ts";
export { VirtualNetwork, VirtualNetworksSubnet } from "./aso/virtual-network.ts";

// RBAC.
export {
  type BindingObject,
  ClusterRole,
  ClusterRoleBinding,
  type PolicyRule,
  Role,
  RoleBinding,
  type RoleObject,
  type RoleReference,
  type Subject,
} from "./kubernetes/rbac.ts";
