// Azure was seen to say 20 minutes. Whatever is longer is looked into sooner: nobody wants to be forgotten for a day.
const LONGEST_MS = 3_600_000;
// A time that has passed, or zero, still means "not at once".
const SHORTEST_MS = 1000;

/** When an answer asks us to come back: in milliseconds, seconds or as a date. */
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
