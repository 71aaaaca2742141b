/** What an image contains, as far as it is known: by the Node of its donor, and by what the donor's disk has installed. */
import type { Installed } from "./scripts/installed-script.ts";

/** The contents of an image. */
interface Contents {
  /** A hash of what the Node reports. */
  readonly node: string;
  /** Undefined before the donor was asked. */
  readonly installed: Installed | undefined;
}

/** The contents as the fingerprint in records and tags: `NODE`, or `NODE/PACKAGES/UPDATES` once the donor was asked. */
export function fingerprintOf(node: string, { packages, updates }: Installed): string {
  return `${nodePart(node)}/${packages}/${updates}`;
}

/** Whether the donor of this renewal was asked what it has installed. */
export function wasAsked(fingerprint: string): boolean {
  return parsed(fingerprint).installed !== undefined;
}

function nodePart(fingerprint: string): string {
  return parsed(fingerprint).node;
}

function parsed(fingerprint: string): Contents {
  const [node = "", packages, updates = ""] = fingerprint.split("/");
  return { node, installed: packages === undefined ? undefined : { packages, updates } };
}

/** Everything that decides whether the donor has what an image has already. */
export interface ContentsFacts {
  /** The contents of the donor. */
  readonly fingerprint: string;
  /** The contents of the image that new machines boot from; undefined while that is the base image. */
  readonly activeFingerprint: string | undefined;
  /** The contents of images that were rolled back. */
  readonly badFingerprints: readonly string[];
  /** Whether a user asked for this renewal: then it is made in any case. */
  readonly isRequested: boolean;
  /** How old the image in use is, in intervals. */
  readonly intervalsOld: number;
}

/** What the contents of the donor mean for the renewal, and why. */
export type ContentsDecision =
  | { readonly do: "renew"; readonly why: string }
  | { readonly do: "skip"; readonly reason: "Unchanged" | "SameAsRolledBack"; readonly why: string };

/** A machine that does not tell what it has installed is cached after so many intervals at the latest. */
const MOST_SKIPPED = 7;

/** Decides whether an image of the donor would contain anything new. */
export function decideContents(facts: ContentsFacts): ContentsDecision {
  const { fingerprint, activeFingerprint, badFingerprints, isRequested, intervalsOld } = facts;
  if (isRequested) return { do: "renew", why: "a user asked for it" };
  if (badFingerprints.some((bad) => mayBeSame(bad, fingerprint))) {
    const why = "the donor has what the image had that was rolled back; a renewal waits until that changes";
    return { do: "skip", reason: "SameAsRolledBack", why };
  }
  if (activeFingerprint === undefined) return { do: "renew", why: "there is no image to compare with" };
  if (intervalsOld >= MOST_SKIPPED) return { do: "renew", why: `the image is ${MOST_SKIPPED} intervals old` };
  const difference = differenceOf(activeFingerprint, fingerprint);
  return difference === undefined
    ? { do: "skip", reason: "Unchanged", why: sameText(fingerprint) }
    : { do: "renew", why: difference };
}

function sameText(fingerprint: string): string {
  const same =
    "kernel, operating system, kubelet, container runtime and container images are those of the image";
  const { installed } = parsed(fingerprint);
  return isKnown(installed)
    ? `${same}, and nothing was installed since`
    : `${same}; the donor did not tell which packages it has, so an image is taken after ${MOST_SKIPPED} intervals`;
}

function isKnown(installed: Installed | undefined): installed is Installed {
  return installed !== undefined && installed.packages !== "";
}

/** What the donor has that the image does not have; undefined if nothing is known to differ. */
function differenceOf(image: string, donor: string): string | undefined {
  const [before, now] = [parsed(image), parsed(donor)];
  if (before.node !== now.node) return "its Node reports another kernel, system, runtime or container image";
  // A donor that does not answer must not cost a drain each interval.
  if (!isKnown(now.installed)) return undefined;
  if (!isKnown(before.installed)) return "it is not recorded which packages the image has";
  if (before.installed.packages !== now.installed.packages) return "its packages have changed";
  return isOther(before.installed.updates, now.installed.updates)
    ? "its log of updates has a new entry"
    : undefined;
}

/** An empty log says nothing: it was rotated, or a copy of the image has removed it. */
function isOther(before: string, now: string): boolean {
  return before !== "" && now !== "" && before !== now;
}

/** Whether two contents are not known to differ: what was rolled back must not come again because a machine kept silent. */
function mayBeSame(image: string, donor: string): boolean {
  const [before, now] = [parsed(image), parsed(donor)];
  if (before.node !== now.node) return false;
  const [old, installed] = [before.installed, now.installed];
  if (!old || !installed) return true;
  return !isOther(old.packages, installed.packages) && !isOther(old.updates, installed.updates);
}
