const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** A duration in its two largest units, such as `2h5m`. */
export function durationText(ms: number): string {
  let left = Math.max(0, ms);
  const first = UNITS.findIndex(([, size]) => left >= size);
  if (first === -1) return "0s";
  return UNITS.slice(first, first + 2)
    .map(([unit, size]) => {
      const count = Math.floor(left / size);
      left -= count * size;
      return count === 0 ? "" : `${count}${unit}`;
    })
    .join("");
}

/** The time of day, to the second. */
export function clockText(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** The whole time in UTC, as objects have it. */
export function stampText(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().replace(".000Z", "Z") : "";
}
