import type { Rng } from "@capstan/env";

/** Durations in seconds: half of the operations are faster than p50, nine of ten faster than p90. */
export interface Duration {
  readonly p50: number;
  readonly p90: number;
}

/** Durations by operation. */
export type Latencies = Readonly<Record<string, Duration>>;

/** Seconds from recorded traffic (reference/azure.md 4.1); for scale sets, per instance. */
export const RECORDED: Latencies = {
  "scaleSet.model": { p50: 0.4, p90: 0.5 },
  "scaleSet.patch": { p50: 7, p90: 8 },
  "scaleSet.delete": { p50: 2.6, p90: 20 },
  "instance.create": { p50: 43, p90: 110 },
  "instance.manualupgrade": { p50: 28, p90: 121 },
  "instance.reimage": { p50: 69, p90: 75 },
  "instance.reimageall": { p50: 80, p90: 87 },
  "instance.deallocate": { p50: 24, p90: 31 },
  "instance.start": { p50: 7, p90: 10 },
  "instance.poweroff": { p50: 14, p90: 36 },
  "instance.restart": { p50: 34, p90: 44 },
  "instance.redeploy": { p50: 60, p90: 120 },
  "instance.delete": { p50: 12, p90: 26 },
  "instance.put": { p50: 3, p90: 8 },
  // Recorded spot evictions took effect within three minutes of the request.
  "instance.evict": { p50: 60, p90: 150 },
  // Kamino's logs: 6 to 65 s for a snapshot, 11 minutes for a version of 30 GB with three replicas, and once 104 minutes.
  snapshots: { p50: 9, p90: 65 },
  "galleries/images/versions": { p50: 660, p90: 1800 },
  // Not recorded: assumed.
  "snapshots.delete": { p50: 2, p90: 5 },
  galleries: { p50: 5, p90: 15 },
  "galleries.delete": { p50: 5, p90: 15 },
  "galleries/images": { p50: 5, p90: 15 },
  "galleries/images.delete": { p50: 5, p90: 15 },
  "galleries/images/versions.update": { p50: 20, p90: 60 },
  "galleries/images/versions.delete": { p50: 30, p90: 120 },
  runCommand: { p50: 12, p90: 30 },
  "virtualMachine.create": { p50: 54, p90: 88 },
  "virtualMachine.delete": { p50: 22, p90: 28 },
  "virtualMachine.deallocate": { p50: 17, p90: 26 },
  "virtualMachine.start": { p50: 13, p90: 20 },
  "virtualMachine.poweroff": { p50: 11, p90: 20 },
  // Not recorded: assumed to take as long as for an instance of a scale set.
  "virtualMachine.restart": { p50: 34, p90: 44 },
  "virtualMachine.redeploy": { p50: 60, p90: 120 },
  "virtualMachine.reapply": { p50: 3, p90: 8 },
  "virtualMachine.resize": { p50: 34, p90: 44 },
  "virtualMachine.update": { p50: 3, p90: 8 },
  // A copy of a snapshot can be used at once.
  disks: { p50: 3, p90: 8 },
  "disks.delete": { p50: 2, p90: 5 },
  virtualNetworks: { p50: 11, p90: 12 },
  "virtualNetworks/subnets": { p50: 1, p90: 10 },
  publicIPAddresses: { p50: 1, p90: 3 },
  loadBalancers: { p50: 0.5, p90: 3 },
  networkSecurityGroups: { p50: 3, p90: 4 },
  networkInterfaces: { p50: 1, p90: 32 },
  // Not recorded: assumed to be as fast as a security group.
  routeTables: { p50: 3, p90: 4 },
  natGateways: { p50: 3, p90: 4 },
  "network.delete": { p50: 5, p90: 11 },
  // Recorded creations of clusters polled for three to five minutes; the rest of AKS is assumed.
  "managedCluster.create": { p50: 220, p90: 320 },
  "managedCluster.update": { p50: 60, p90: 150 },
  "managedCluster.upgrade": { p50: 300, p90: 600 },
  "managedCluster.delete": { p50: 180, p90: 360 },
  "managedCluster.stop": { p50: 60, p90: 120 },
  "managedCluster.start": { p50: 90, p90: 180 },
  "agentPool.create": { p50: 90, p90: 180 },
  "agentPool.update": { p50: 30, p90: 60 },
  "agentPool.delete": { p50: 60, p90: 120 },
  "agentPool.upgradeBatch": { p50: 120, p90: 200 },
  // Not recorded: assumed to take minutes for a group that is not empty.
  "resourceGroup.delete": { p50: 60, p90: 240 },
};

// One operation in a hundred takes 5 to 20 times as long: traffic has a scale set creation of 2233 s.
const TAIL_SHARE = 0.01;
const TAIL_FACTORS = { from: 5, to: 20 };
// A log-normal whose percentiles are far apart has no useful end: that of network interfaces (1 s and 32 s) would reach hours.
// The slowest of most recorded operations took up to four times the 90th percentile; the slow one in a hundred comes on top.
const TYPICAL_AT_MOST = 4;
// The 90th percentile of the standard normal distribution.
const Z90 = 1.2815515655446004;

/** A duration in milliseconds: log-normal through the two percentiles, with a heavy tail. */
export function drawMs({ p50, p90 }: Duration, rng: Rng): number {
  if (p50 <= 0) return 0;
  const seconds = drawTypicalSeconds({ p50, p90 }, rng);
  const isTail = rng.next() < TAIL_SHARE;
  const factor = isTail ? TAIL_FACTORS.from + rng.next() * (TAIL_FACTORS.to - TAIL_FACTORS.from) : 1;
  return Math.round(seconds * factor * 1000);
}

/** A duration in seconds: log-normal through the two percentiles, at most four times the higher one. */
export function drawTypicalSeconds({ p50, p90 }: Duration, rng: Rng): number {
  if (p50 <= 0) return 0;
  const high = Math.max(p90, p50);
  const sigma = Math.log(high / p50) / Z90;
  return Math.min(p50 * Math.exp(sigma * normal(rng)), TYPICAL_AT_MOST * high);
}

/** A draw from the standard normal distribution (Box and Muller). */
function normal(rng: Rng): number {
  const radius = Math.sqrt(-2 * Math.log(1 - rng.next()));
  return radius * Math.cos(2 * Math.PI * rng.next());
}

/** Durations that are so many times shorter than the recorded ones. */
export function latenciesAt(speed: number): Latencies {
  return Object.fromEntries(
    Object.entries(RECORDED).map(([name, { p50, p90 }]) => [name, { p50: p50 / speed, p90: p90 / speed }]),
  );
}
