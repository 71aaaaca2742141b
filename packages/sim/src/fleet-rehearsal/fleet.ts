import type { KubernetesObject } from "@capstan/api";
import type { AzureSettings, Latencies } from "@capstan/azure-sim";
import type { GuestSettings } from "../guests/guest.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";

/** Objects of one workload cluster: its pods, their owners and their disruption budgets. */
export interface WorkloadObjects {
  /** The Cluster. */
  readonly namespace: string;
  readonly cluster: string;
  readonly objects: readonly KubernetesObject[];
}

/** A fleet as it is grown: only what users own. Plain data, so that it can be passed to another process. */
export interface Fleet {
  readonly objects: readonly KubernetesObject[];
  readonly workloads: readonly WorkloadObjects[];
  /** What the simulated Azure must know for this fleet: its subscriptions, regions, sizes, images and versions. */
  readonly azure: Partial<AzureSettings>;
}

/** How long things take: the one seam for durations that are learnt from a fleet. */
export interface DurationModel {
  /** Where the durations come from, in words that finish "durations: ". */
  readonly source: string;
  readonly latencies?: Latencies;
  readonly boot?: GuestSettings["boot"];
  readonly pods?: Partial<PodSettings>;
}

/** The durations of docs/azure-assumptions.md: recorded ones for Azure, assumed ones for boots and pods. */
export const TABLE_DURATIONS: DurationModel = {
  source: "the model's table of recorded Azure traffic; none were learnt from this fleet",
};
