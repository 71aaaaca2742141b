import { type Duration, RECORDED } from "@capstan/azure-sim";
import type { StepTimes } from "@capstan/manager";

/** Half of the steps take less than `p50`, nine of ten less than `p90`. */
export type Percentile = "p50" | "p90";

// As long as the simulated guests take: half of the nodes with Cluster API's reference images are Ready after a minute.
const BOOT: Duration = { p50: 60, p90: 120 };

// An estimate, not recorded: pods stop within their grace period of 30 seconds, and some wait for one another.
const DRAIN: Duration = { p50: 30, p90: 120 };

/** How long the steps of a rollout take, from recordings of Azure; each one as slow as the percentile says. */
export function expectedTimes(percentile: Percentile, minReadySeconds: number): StepTimes {
  const ms = (duration: Duration | undefined): number => Math.round((duration?.[percentile] ?? 0) * 1000);
  return {
    putMs: ms(RECORDED["scaleSet.model"]),
    createMs: ms(RECORDED["instance.create"]),
    bootMs: ms(BOOT),
    minReadyMs: minReadySeconds * 1000,
    drainMs: ms(DRAIN),
    deleteMs: ms(RECORDED["instance.delete"]),
    updateMs: ms(RECORDED["instance.manualupgrade"]),
  };
}

/** The assumptions of a forecast, for its readers. */
export const ASSUMPTIONS: readonly string[] = [
  `times are those of recorded traffic: an instance is created in ${spread(RECORDED["instance.create"])}, deleted in ${spread(RECORDED["instance.delete"])}, updated in place in ${spread(RECORDED["instance.manualupgrade"])}`,
  `a Node is Ready ${spread(BOOT)} after power on, and drained in ${spread(DRAIN)} unless something blocks it`,
  "Azure has the quota and the capacity: neither was checked",
  "the names of machines that do not exist yet are guesses",
];

function spread(duration: Duration | undefined): string {
  return `${duration?.p50 ?? 0} to ${duration?.p90 ?? 0} s`;
}
