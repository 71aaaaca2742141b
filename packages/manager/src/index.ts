/** The product: how Capstan's controllers talk to Azure. */
export { type ArmRequest, Azure, type AzureOptions } from "./azure/azure.ts";
export { createNetwork, type Network, type NetworkOptions } from "./azure/arm/connect.ts";
export type { Connect } from "./azure/arm/http-client.ts";
export { type Cloud, cloudNamed } from "./azure/cloud.ts";
export type { IdentityPorts } from "./azure/credentials/identities.ts";
export type { SecretPorts } from "./azure/credentials/proof.ts";
export type { TokenSource } from "./azure/credentials/token-source.ts";
export { failureOf } from "./azure/failure.ts";
export { type CallCount, type CallOutcome, Meter } from "./azure/meter.ts";
export type { Observed, Outcome, Step } from "./azure/operations/decide.ts";
export { nextStep } from "./azure/operations/decide.ts";
export { advance, type OperationPorts, type Progress, type Task } from "./azure/operations/operations.ts";
export type {
  InstanceAction,
  Wanted,
  WantedAction,
  WantedDelete,
  WantedWrite,
} from "./azure/operations/wanted.ts";
export {
  type Arm,
  AzureError,
  type AzureErrorClass,
  type AzureErrorDetail,
  type CallOptions,
  type CallPriority,
  isGone,
  type JsonObject,
  type Listing,
  type ListOptions,
  type OperationStatus,
  type Reading,
  type WriteOptions,
  type Written,
} from "./azure/port.ts";
export { BATCH_SIZE, batchesOf, instanceActions } from "./azure/scale-set/batches.ts";
export type { PowerState, ScaleSetInstance } from "./azure/scale-set/instance.ts";
export { type FreshnessOptions, ScaleSetInstances } from "./azure/scale-set/instances.ts";
