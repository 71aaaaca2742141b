/** How fast machines were updated in place so far, from the times at which their last updates ended. Pure. */
import { type Frozen, getCondition, type Machine, olderConditionsOf } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";

/** The pace of updates in place. */
export interface UpdatePace {
  /** How many updates it is of. */
  readonly updates: number;
  /** The mean time from one end to the next: with two updates at once, half of the time of one. */
  readonly eachMs: number;
}

// Fewer updates may all have been slow ones, or fast ones.
const FEWEST_UPDATES = 5;

/** The pace of the last update of each machine; undefined for fewer than five, or if all ended at once. */
export function updatePace(machines: readonly Frozen<Machine>[]): UpdatePace | undefined {
  const endsMs = machines.flatMap(updateEndMs).toSorted((a, b) => a - b);
  const [firstMs = 0] = endsMs;
  const lastMs = endsMs.at(-1) ?? 0;
  if (endsMs.length < FEWEST_UPDATES || lastMs === firstMs) return undefined;
  return { updates: endsMs.length, eachMs: (lastMs - firstMs) / (endsMs.length - 1) };
}

/** The older form of the conditions has this one only once a machine was updated. */
function updateEndMs(machine: Frozen<Machine>): readonly number[] {
  const condition = getCondition(olderConditionsOf(machine), "Updating");
  if (condition?.status !== "False" || condition.reason !== "NotUpdating") return [];
  const endMs = Date.parse(condition.lastTransitionTime ?? "");
  const createdMs = Date.parse(machine.metadata.creationTimestamp ?? "");
  return endMs > createdMs ? [endMs] : [];
}

/** How long so many updates take at a pace, or what is needed to know it. */
export function updateTimeLine(pace: UpdatePace | undefined, left: number): string {
  if (!pace) return `how long updates in place take is not known before ${FEWEST_UPDATES} of them have ended`;
  return `about ${humanDuration(pace.eachMs * left)} at the pace of the last ${pace.updates} updates in place, with their pauses`;
}
