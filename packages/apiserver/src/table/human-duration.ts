const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The text for an unknown time. */
export const UNKNOWN = "<unknown>";
/** The text for an impossible time. */
const INVALID = "<invalid>";

interface Step {
  /** The step applies below this duration. */
  readonly below: number;
  readonly unit: readonly [size: number, letter: string];
  /** A finer unit that is shown beside the first while the duration is short. */
  readonly rest?: readonly [size: number, letter: string];
}

const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, unit: [SECOND, "s"] },
  { below: 10 * MINUTE, unit: [MINUTE, "m"], rest: [SECOND, "s"] },
  { below: 3 * HOUR, unit: [MINUTE, "m"] },
  { below: 8 * HOUR, unit: [HOUR, "h"], rest: [MINUTE, "m"] },
  { below: 2 * DAY, unit: [HOUR, "h"] },
  { below: 8 * DAY, unit: [DAY, "d"], rest: [HOUR, "h"] },
  { below: 2 * YEAR, unit: [DAY, "d"] },
  { below: 8 * YEAR, unit: [YEAR, "y"], rest: [DAY, "d"] },
  { below: Number.POSITIVE_INFINITY, unit: [YEAR, "y"] },
];

// The clocks of two machines differ a little: an object may seem to be from the future.
const SKEW = 2 * SECOND;

/** A duration in at most two units, as kubectl's column AGE shows it; longer ones are coarser. */
export function humanDuration(durationMs: number): string {
  if (durationMs <= -SKEW) return INVALID;
  const ms = Math.max(durationMs, 0);
  const step = STEPS.find(({ below }) => ms < below);
  if (!step) return INVALID;
  const { unit, rest } = step;
  const whole = `${Math.floor(ms / unit[0])}${unit[1]}`;
  const remainder = rest ? Math.floor((ms % unit[0]) / rest[0]) : 0;
  return rest && remainder > 0 ? `${whole}${remainder}${rest[1]}` : whole;
}

/** The time from a timestamp until now; unknown when there is none. */
export function since(timestamp: unknown, now: number): string {
  if (typeof timestamp !== "string" || timestamp === "") return UNKNOWN;
  const moment = parseTimestamp(timestamp);
  return moment === undefined ? INVALID : humanDuration(now - moment);
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The time of an RFC 3339 text, in milliseconds; undefined if it is not one. */
export function parseTimestamp(text: string): number | undefined {
  const moment = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
