/** Prints a moment as Kubernetes does, in whole seconds: `2026-11-15T09:30:00Z`. */
export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}
