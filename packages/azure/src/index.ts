/** The way to Azure Resource Manager, as controllers and other programs use it. */
export { type Network, type NetworkOptions, createNetwork } from "./arm/connect.ts";
export type { Connect } from "./arm/http-client.ts";
export { type ArmRequest, Azure, type AzureOptions } from "./azure.ts";
export { type Cloud, cloudNamed } from "./cloud.ts";
export { type Applicant, type EntraPorts, acquireToken } from "./credentials/entra.ts";
export type { IdentityPorts } from "./credentials/identities.ts";
export { type ReadCredentialFile, type SecretPorts, findProof } from "./credentials/proof.ts";
export { type FreshToken, renewedTokens } from "./credentials/renewal.ts";
export type { TokenSource } from "./credentials/token-source.ts";
export { failureOf } from "./failure.ts";
export { guardArm } from "./guarded-arm.ts";
export { type LazyArm, lazyArm } from "./lazy-arm.ts";
export { type CallCount, type CallOutcome, Meter } from "./meter.ts";
export { normalizedId } from "./normalized-id.ts";
export { covers } from "./operations/covers.ts";
export {
  type Observed,
  type OperationOutcome,
  SETTLE_MS,
  type Step,
  isFinal,
  nextStep,
} from "./operations/decide.ts";
export type { Evidence, PostEvidence } from "./operations/evidence.ts";
export { type OperationPorts, type Progress, type Task, advance } from "./operations/operations.ts";
export { PollBackoff } from "./operations/poll-backoff.ts";
export { operationIn, operationState, withOperationStates } from "./operations/states.ts";
export {
  type DesiredOperation,
  type DesiredChange,
  type DesiredDelete,
  type DesiredPost,
  type DesiredWrite,
  digest,
} from "./operations/desired-operation.ts";
export { patientArm } from "./patient-arm.ts";
export {
  type Arm,
  AzureError,
  type AzureErrorClass,
  type AzureErrorDetail,
  type CallOptions,
  type CallPriority,
  type ListOptions,
  type Listing,
  type OperationStatus,
  type Reading,
  type WriteOptions,
  type Written,
  DEFAULT_RETRY_AFTER_MS,
  isGone,
  REQUEST_BUDGET_USED_UP,
} from "./port.ts";
export { type OfferedSize, type Region, RegionSizes, type SizeCapabilities } from "./region-sizes.ts";
export { byProviderID } from "./scale-set/by-provider-id.ts";
export {
  BATCH_SIZE,
  type InstanceAction,
  type DesiredInstancePost,
  batchesOf,
  instanceActions,
} from "./scale-set/instance-actions.ts";
export { InstanceCache, type ObservedInstance } from "./scale-set/instance-cache.ts";
export { instanceEvidence } from "./scale-set/instance-evidence.ts";
export { type PowerState, type ScaleSetInstance, parseInstance } from "./scale-set/instance.ts";
export { type FreshnessOptions, ScaleSetInstances } from "./scale-set/instances.ts";
export { parseVirtualMachine, type VirtualMachine } from "./virtual-machine/virtual-machine.ts";
export { type ListRequest, VirtualMachineLists } from "./virtual-machine/virtual-machine-lists.ts";
