/**
 * Compares two resourceVersions: negative when `a` is older. They are decimal numbers of any length
 * (comparable by contract since Kubernetes 1.35), so a longer one is newer and equal lengths compare as text.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
