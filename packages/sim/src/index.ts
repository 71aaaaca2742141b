/** The world around the controllers: guests that boot in simulated machines and become Nodes, and the pods on them. */
export type { GuestFailure } from "./guests/failure.ts";
export type { GuestSettings } from "./guests/guest.ts";
export { type Guests, type GuestsOptions, type GuestView, startGuests } from "./guests/guests.ts";
export type { Stage } from "./guests/stages.ts";
export type { PodSettings } from "./workloads/kubelet-pods.ts";
export { startWorkloads, type Workloads, type WorkloadsOptions } from "./workloads/workloads.ts";
