const SECOND_MS = 1000;

/** Virtual time since the start as a clock shows it: `00:03:12`, and `26:00:00` after more than a day. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
