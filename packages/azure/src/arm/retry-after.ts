// Azure has been seen to send 20 minutes. A longer time is cut, so that no object waits for a day.
const LONGEST_MS = 3_600_000;
// A time in the past, or zero, still means a short wait.
const SHORTEST_MS = 1000;

/** The Retry-After of an answer: in milliseconds, seconds or as a date. */
export function retryAfterOf(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const exact = headers["retry-after-ms"] ?? headers["x-ms-retry-after-ms"];
  const waitMs = exact === undefined ? fromSecondsOrDate(headers["retry-after"], nowMs) : Number(exact);
  if (waitMs === undefined || Number.isNaN(waitMs)) return undefined;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waitMs));
}

function fromSecondsOrDate(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  return Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1000;
}
