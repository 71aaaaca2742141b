/** The name of a renewal, from the time of its start: `20260117-101530`. */
export function cycleIDOf(nowMs: number): string {
  const [date = "", time = ""] = new Date(nowMs).toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}`;
}

/**
 * The version that a renewal publishes: the date, the minute of the day and the attempt. A later renewal has a higher
 * version, which is what Azure takes for the latest.
 */
export function prototypeVersionOf(startedAtMs: number, attempt: number): string {
  const at = new Date(startedAtMs);
  const date = at.toISOString().slice(0, 10).replaceAll("-", "");
  return `${date}.${at.getUTCHours() * 60 + at.getUTCMinutes()}.${attempt}`;
}

/** Whether a version of an image is one that `prototypeVersionOf` has made; the history of a pool forgets old ones. */
export function isPrototypeVersion(version: string): boolean {
  const [, date = "", minute = ""] = /^(20\d{6})\.(\d{1,4})\.\d{1,2}$/.exec(version) ?? [];
  const month = Number(date.slice(4, 6));
  return month >= 1 && month <= 12 && Number(minute) < 24 * 60;
}

/** The names of what a pool has in Azure for its prototypes. */
export interface PrototypeNames {
  readonly gallery: string;
  readonly definition: string;
}

/** The owner of the prototypes of a pool. */
export interface NamedPool {
  readonly clusterName: string;
  /** Eight digits of a hash of namespace and name of the Cluster. */
  readonly clusterHash: string;
  readonly pool: string;
  /** The key of the base image: each base has a definition of its own, because definitions are immutable. */
  readonly base: string;
}

// A gallery has at most 80 letters, digits, dots and underscores.
const MOST_OF_CLUSTER = 50;

/** All pools of a cluster share a gallery; the hash distinguishes clusters of the same name. */
export function prototypeNamesOf({ clusterName, clusterHash, pool, base }: NamedPool): PrototypeNames {
  const readable = clusterName.replaceAll(/[^A-Za-z0-9]/g, "_").slice(0, MOST_OF_CLUSTER);
  return {
    gallery: `prototypes_${readable}_${clusterHash}`,
    definition: `${pool}-${base.slice(0, 8)}`,
  };
}

// A virtual machine of Linux has at most 64 characters in its name.
const MOST_OF_OWNER = 36;

/** The name of the virtual machine that removes the identity from the copy of a renewal, and of its disk and its interface. */
export function helperName(pool: string, cycleID: string): string {
  return `${pool.slice(0, MOST_OF_OWNER)}-scrub-${cycleID}`;
}

/** The name of the snapshot of that disk, from which the version is made. */
export function scrubbedSnapshotName(pool: string, cycleID: string): string {
  return `${helperName(pool, cycleID)}-done`;
}

// Azure adds six digits to the prefix of computer names, and kubelets report names of at most 63 characters.
const MOST_OF_NODE_NAME = 20;

/** The names of the scale set of a canary, and of its machine. */
export function canaryNames(
  pool: string,
  cycleID: string,
): { readonly scaleSet: string; readonly computerPrefix: string } {
  return {
    scaleSet: `${pool.slice(0, MOST_OF_OWNER)}-canary-${cycleID}`,
    computerPrefix: `${pool.slice(0, MOST_OF_NODE_NAME)}-canary-${cycleID.slice(-6)}-`,
  };
}

/** The name of the snapshot of a renewal. */
export function snapshotName(pool: string, cycleID: string): string {
  return `${pool}-prototype-${cycleID}`;
}
