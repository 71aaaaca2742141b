/** Kubernetes versions: semantic versions, with or without the leading v. */

/** The parts of a version. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** The part after `-`, split at the dots; empty for a release. */
  readonly prerelease: readonly string[];
  /** The part after `+`; it never counts in a comparison. */
  readonly build: string;
}

// Each part is delimited by its own separator, so matching is linear; 9 digits are exact as a number.
const NUMBER = "(0|[1-9][0-9]{0,8})";
const VERSION = new RegExp(
  `^v?${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`,
);
const LONGEST_VERSION = 256;

/** Parses a version such as `v1.31.2` or `1.32.0-rc.1+build`; undefined if it is not one. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > LONGEST_VERSION) return undefined;
  const [match, major, minor, patch, prerelease, build = ""] = VERSION.exec(text) ?? [];
  if (match === undefined) return undefined;
  const identifiers = prerelease?.split(".") ?? [];
  if (!identifiers.every(isIdentifier) || build.split(".").includes("") !== (build === "")) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease: identifiers, build };
}

/** The problem of a version that must have a leading v, or undefined if it is valid. */
export function versionProblem(text: string): string | undefined {
  if (!text.startsWith("v")) return "must start with v, such as v1.31.2";
  return parseVersion(text) ? undefined : "must be a valid semantic version, such as v1.31.2";
}

/** The version with a leading v, as Cluster API stores it; a text that is not a version stays as the user wrote it. */
export function withLeadingV(text: string): string {
  return /^\d/.test(text) ? `v${text}` : text;
}

/** Negative when `a` is older, positive when it is newer, 0 when both rank the same. */
export function compareVersions(a: Version, b: Version): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

/** How many minor versions `newer` is ahead of `older`; undefined across major versions, where that is undefined. */
export function minorSkew(newer: Version, older: Version): number | undefined {
  return newer.major === older.major ? newer.minor - older.minor : undefined;
}

function isIdentifier(text: string): boolean {
  return text !== "" && !(isNumeric(text) && text.length > 1 && text.startsWith("0"));
}

function isNumeric(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  // A release ranks above its own prereleases.
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers rank by value and below words; words rank by their characters. */
function compareIdentifiers(a: string, b: string): number {
  if (isNumeric(a) !== isNumeric(b)) return isNumeric(a) ? -1 : 1;
  if (isNumeric(a) && a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
