import { formatTimestamp, type Frozen, type Node } from "@capstan/api";

/** Annotations of Nodes by which kured says that an update waits for a restart, and that one is under way. */
const REBOOT_MARKS = [
  "weave.works/kured-most-recent-reboot-needed",
  "weave.works/kured-reboot-in-progress",
  "kured.dev/most-recent-reboot-needed",
  "kured.dev/reboot-in-progress",
] as const;

// An annotation of a Node is written by its kubelet, which a broken machine controls.
const MOST_LETTERS = 128;

/** What a Node reports that changes when it is patched. Container images change all the time, and are not part of it. */
export function patchLevelOf({ metadata, status }: Frozen<Node>): string {
  const { kernelVersion, osImage, kubeletVersion, containerRuntimeVersion } = status?.nodeInfo ?? {};
  const marks = REBOOT_MARKS.map((name) => metadata.annotations?.[name]?.slice(0, MOST_LETTERS));
  return JSON.stringify([kernelVersion, osImage, kubeletVersion, containerRuntimeVersion, ...marks]);
}

/** The last patch of a machine, as its annotation has it. */
export interface LastPatch {
  readonly at: string;
  readonly fingerprint: string;
}

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([0-9a-z]{4,32})$/;

/** Reads the annotation; undefined if it has another form, or a time that does not exist. */
export function parseLastPatch(text: string | undefined): LastPatch | undefined {
  const [, at = "", fingerprint = ""] = FORM.exec(text ?? "") ?? [];
  return Number.isNaN(Date.parse(at)) ? undefined : { at, fingerprint };
}

/** What decides the annotation of a machine. */
export interface LastPatchFacts {
  /** The annotation as it is; another client may have written anything. */
  readonly annotation: string | undefined;
  /** What the Node reports now, as a hash. */
  readonly fingerprint: string;
  readonly nodeCreatedMs: number;
  readonly nowMs: number;
}

/**
 * The annotation of a machine: when its Node last reported another patch level, and a hash of that. A machine that never had one
 * is as its Node joined. Undefined while the annotation is right: nothing is written then.
 */
export function decideLastPatch(facts: LastPatchFacts): string | undefined {
  const { annotation, fingerprint, nodeCreatedMs, nowMs } = facts;
  const known = parseLastPatch(annotation);
  // A time in the future is forged, or comes from a clock that was wrong.
  const isKnown = known !== undefined && Date.parse(known.at) <= nowMs + CLOCK_SKEW_MS;
  if (isKnown && known.fingerprint === fingerprint) return undefined;
  const isFirst = annotation === undefined && nodeCreatedMs <= nowMs;
  return `${formatTimestamp(isFirst ? nodeCreatedMs : nowMs)} ${fingerprint}`;
}

const CLOCK_SKEW_MS = 10 * 60_000;
