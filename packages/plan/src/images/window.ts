import { parseDuration } from "@capstan/api";

/** When a renewal may begin. */
export interface PrototypeWindow {
  /** The time of day, `22:00`. */
  readonly start: string;
  readonly duration: string;
  /** An IANA name; UTC unless given. */
  readonly timeZone?: string | undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long it takes until the window is open; 0 while it is. */
export function untilOpenMs(window: PrototypeWindow | undefined, nowMs: number): number {
  if (!window) return 0;
  const [hours = 0, minutes = 0] = window.start.split(":").map(Number);
  const startMs = (hours * 60 + minutes) * MINUTE_MS;
  const sinceStartMs = (timeOfDayMs(nowMs, window.timeZone ?? "UTC") - startMs + DAY_MS) % DAY_MS;
  return sinceStartMs < parseDuration(window.duration) ? 0 : DAY_MS - sinceStartMs;
}

/** The time of day in a zone. A change to or from summer time moves the window with the clock on the wall. */
function timeOfDayMs(nowMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(nowMs);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  return ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1000;
}
