import { compareVersions, parseVersion } from "@capstan/api";

/** The newest of several versions, without a leading v; versions that cannot be parsed are ignored. */
export function newestVersion(...versions: readonly (string | undefined)[]): string | undefined {
  const known = versions.flatMap((text) => {
    const version = text === undefined ? undefined : parseVersion(text);
    return version && text !== undefined ? [{ text, version }] : [];
  });
  const newest = known.toSorted((a, b) => compareVersions(a.version, b.version)).at(-1);
  return newest?.text.replace(/^v/, "");
}

/** Whether a version is newer than another; false if either is unknown. */
export function isNewer(version: string | undefined, than: string | undefined): boolean {
  const [one, other] = [version, than].map((text) => (text === undefined ? undefined : parseVersion(text)));
  return one !== undefined && other !== undefined && compareVersions(one, other) > 0;
}
