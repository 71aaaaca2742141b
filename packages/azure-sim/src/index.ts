/** A simulated Azure Resource Manager: scale sets, networks and long-running operations, in-process or over HTTP(S). */
export { IMAGE_QUOTAS } from "./resources/galleries/image-quotas.ts";
export { type Azure, type AzureHandler, type AzureOptions, createAzure } from "./azure.ts";
export type { Answer } from "./arm/answer.ts";
export type { Control } from "./control/control.ts";
export type { CloudState } from "./control/state.ts";
export type { SimRequest } from "./core/call.ts";
export { type Core, createCore, type ManagedClusterView } from "./core/core.ts";
export type { DiskRef } from "./disks/disks.ts";
export type { MachineDisk } from "./disks/machine-disk.ts";
export type { IssuedToken } from "./entra/tokens.ts";
export type { FaultEffect, FaultMatch, FaultRule } from "./faults/fault.ts";
export { serveAzure } from "./http/serve.ts";
export type { JournalEntry } from "./journal/journal.ts";
export {
  drawMs,
  drawTypicalSeconds,
  type Duration,
  type Latencies,
  latenciesAt,
  RECORDED,
} from "./latency/latencies.ts";
export type { Machine, MachineRecord } from "./machines/machine.ts";
export type { MachineEvent, MachineListener } from "./machines/machine-events.ts";
export type { Prohibition } from "./policies/policies.ts";
export { DEFAULT_IMAGES, type Image, type ImageFiles } from "./resources/images/image.ts";
export type { CommandResult, GuestCommand, RunInGuest } from "./resources/run-commands/run-commands.ts";
export { DEFAULT_SIZES, type VmSize } from "./resources/skus/vm-size.ts";
export {
  type AzureSettings,
  type Capacity,
  completeSettings,
  DEFAULT_PRINCIPAL,
  DEFAULT_SERVICE_ACCOUNT,
  DEFAULT_SUBSCRIPTION,
  DEFAULT_TENANT,
  type Principal,
  type Quota,
} from "./settings.ts";
export { createMemoryStore } from "./store/memory.ts";
export { openSqliteStore, savedPosition } from "./store/sqlite.ts";
export type { ClockedPosition, Commit, Position, Saved, Store } from "./store/store.ts";
