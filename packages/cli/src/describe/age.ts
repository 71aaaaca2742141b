const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** How long ago something was, as kubectl says it: the largest unit, and the next one while the number is small. */
export function ageText(ms: number): string {
  const passedMs = Math.max(0, ms);
  const index = UNITS.findIndex(([, unitMs]) => passedMs >= 2 * unitMs);
  const [unit, unitMs] = UNITS[index] ?? (["s", 1000] as const);
  const whole = Math.floor(passedMs / unitMs);
  const [smaller, smallerMs] = UNITS[index + 1] ?? ["", Infinity];
  const rest = Math.floor((passedMs - whole * unitMs) / smallerMs);
  return whole < 10 && rest > 0 ? `${whole}${unit}${rest}${smaller}` : `${whole}${unit}`;
}
