/** Kubernetes' order of versions: stable before beta before alpha, higher numbers first, anything else last by name. */
export function newerFirst(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : Number(a > b);
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function rank(version: string): { stability: number; major: number; minor: number } | undefined {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!parts) return undefined;
  const stability = { alpha: 0, beta: 1 }[parts[2] ?? ""] ?? 2;
  return { stability, major: Number(parts[1]), minor: Number(parts[3] ?? 0) };
}
