import { compareVersions, minorSkew, parseVersion, type Version } from "@capstan/api";

interface Parsed {
  readonly text: string;
  readonly version: Version;
}

/** The versions that can be read, the newest one first. */
function sorted(texts: readonly string[]): readonly Parsed[] {
  return texts
    .flatMap((text) => {
      const version = parseVersion(text);
      return version ? [{ text, version }] : [];
    })
    .toSorted((a, b) => compareVersions(b.version, a.version));
}

/** The newest and the oldest of the versions of a cluster, and how many minor versions lie between them. */
export function versionSpan(texts: readonly string[]): {
  readonly newest?: string;
  readonly oldest?: string;
  readonly minorsApart: number;
} {
  const all = sorted(texts);
  const [newest] = all;
  const oldest = all.at(-1);
  if (!newest || !oldest) return { minorsApart: 0 };
  return {
    newest: newest.text,
    oldest: oldest.text,
    minorsApart: minorSkew(newest.version, oldest.version) ?? 0,
  };
}
