/** Node OS image caching: its settings in the spec and its state machine in the status. */
import type { Frozen } from "../../kubernetes/meta.ts";
import { type Static, duration, object, oneOf, optional, string } from "../../schema/schema.ts";
import { parseDuration } from "../../values/duration.ts";
import { type FieldError, errorIf, invalid, required } from "../../values/field-error.ts";
import { durationErrors } from "../../values/value-errors.ts";
import { type Image, isGalleryImage } from "../image.ts";
import type { OSDisk } from "../disks.ts";

const RolloutPolicy = oneOf(
  "Whether existing nodes move to a renewed image (RollingUpdate) or only new ones get it (None).",
  ["None", "RollingUpdate"],
  { default: "None" },
);

/** Periodically creates the image of new nodes from a healthy node. */
export const NodePrototyping = object(
  "Renews the image of new nodes from a healthy node at an interval; presence enables it.",
  {
    interval: duration("How long an image is used before it is renewed, at least 10m.", { default: "24h" }),
    rolloutPolicy: optional(RolloutPolicy),
    window: optional(
      object("When a renewal may begin; at any time unless given.", {
        start: string("The time of day, such as 22:00."),
        duration: duration("How long the window is open, at most 24h."),
        timeZone: optional(
          string("The time zone by its IANA name, such as Europe/Berlin; UTC unless given."),
        ),
      }),
    ),
    canary: optional(
      oneOf(
        "Whether a temporary machine boots from each new image before others do (Enabled) or not (Disabled).",
        ["Enabled", "Disabled"],
        { default: "Enabled" },
      ),
    ),
    promotion: optional(
      oneOf(
        "Where the image of new nodes is named: in the status (Status), so that the spec stays as it is, or also in the spec (Spec), once.",
        ["Status", "Spec"],
        { default: "Status" },
      ),
    ),
    rollbackWindow: optional(
      duration(
        "How long after a promotion the image is rolled back when new nodes fail to join; 0s switches that off.",
        { default: "2h" },
      ),
    ),
  },
);

/** Periodically creates the image of new nodes from a healthy node. */
export type NodePrototyping = Static<typeof NodePrototyping>;

const NODE_CACHING_INTERVAL_ANNOTATION = "nodeCachingInterval";

/** Annotations of the first draft of the proposal, in its two spellings: an interval, used if the spec has none. */
export const NODE_CACHING_ANNOTATIONS = [
  NODE_CACHING_INTERVAL_ANNOTATION,
  "nodeCachingModeInterval",
] as const;

/** The field of the first draft of the proposal, with its two names of the interval. */
export const NodeCachingMode = object(
  "An older form of nodePrototyping. Use spec.template.image.nodePrototyping.",
  {
    interval: optional(duration("How long an image is used before it is renewed.")),
    cacheInterval: optional(duration("The same, under an older name.")),
    rolloutPolicy: optional(RolloutPolicy),
  },
);

/** Annotation of a pool: a new value asks for a renewal now. */
export const PROTOTYPE_NOW_ANNOTATION = "capstan.dev/prototype-now";

/** Annotation of a pool: new nodes boot from this version while it is set, and no image is renewed or rolled back. */
export const PROTOTYPE_PIN_ANNOTATION = "capstan.dev/prototype-pin";

/**
 * Annotation of a pool: a new value asks to return to the previous image. After a space, the version that a user wants to leave:
 * if it is rolled back already, nothing is to do.
 */
export const PROTOTYPE_ROLLBACK_ANNOTATION = "capstan.dev/prototype-rollback";

/** Annotation of an AzureMachinePoolMachine and of its Node: the renewal whose donor it is. */
export const PROTOTYPE_DONOR_ANNOTATION = "capstan.dev/prototype-donor";

/** Annotation of an AzureMachinePoolMachine: when its Node last reported another patch level, and a hash of that. */
export const LAST_PATCH_ANNOTATION = "capstan.dev/last-patch";

/** Annotation of an AzureMachineTemplate: the image definition that new machines boot from instead of the one in the spec. */
export const PROTOTYPE_IMAGE_ANNOTATION = "capstan.dev/prototype-image";

/** Annotation of an AzureMachineTemplate: the Kubernetes version of the machines that boot from that definition. */
export const PROTOTYPE_VERSION_ANNOTATION = "capstan.dev/prototype-version";

/** The fields of a pool or a template that decide whether and how its image is renewed. */
export interface PrototypingSource {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  /** The path of `spec.template` in the object; a template has the fields one level deeper. */
  readonly at?: string;
  readonly spec: {
    readonly image?: { readonly nodePrototyping?: Frozen<NodePrototyping> };
    readonly strategy?: { readonly rollingUpdate?: { readonly instanceUpdate?: string } };
    readonly template: {
      readonly image?: Frozen<Image> & { readonly nodePrototyping?: Frozen<NodePrototyping> };
      readonly nodeCachingMode?: Frozen<Static<typeof NodeCachingMode>>;
      readonly osDisk: Frozen<OSDisk>;
    };
  };
}

/** The settings as they are in effect. */
export type EffectivePrototyping = Required<Omit<NodePrototyping, "window">> &
  Pick<Frozen<NodePrototyping>, "window">;

/** Where the settings are, and the settings. */
interface Place {
  readonly path: string;
  readonly intervalPath: string;
  readonly settings: Frozen<NodePrototyping>;
}

/** The effective settings: from the template's image, else from one of the older places; undefined = off. */
export function nodePrototypingOf(pool: PrototypingSource): EffectivePrototyping | undefined {
  const settings = placeOf(pool)?.settings;
  return (
    settings && {
      rolloutPolicy: "None",
      canary: "Enabled",
      promotion: "Status",
      rollbackWindow: DEFAULT_ROLLBACK_WINDOW,
      ...settings,
    }
  );
}

const IN_POOL = "spec.template";

function placeOf({ metadata, spec, at = IN_POOL }: PrototypingSource): Place | undefined {
  const fields = [
    [`${at}.image.nodePrototyping`, spec.template.image?.nodePrototyping],
    ["spec.image.nodePrototyping", spec.image?.nodePrototyping],
  ] as const;
  for (const [path, settings] of fields)
    if (settings) return { path, intervalPath: `${path}.interval`, settings };
  return olderPlace(at, spec.template.nodeCachingMode) ?? annotatedPlace(metadata.annotations);
}

type OlderMode = PrototypingSource["spec"]["template"]["nodeCachingMode"];

function olderPlace(at: string, mode: OlderMode): Place | undefined {
  if (!mode) return undefined;
  const path = `${at}.nodeCachingMode`;
  const name = mode.interval === undefined && mode.cacheInterval !== undefined ? "cacheInterval" : "interval";
  const { [name]: interval = DEFAULT_INTERVAL, rolloutPolicy = "None" } = mode;
  return { path, intervalPath: `${path}.${name}`, settings: { interval, rolloutPolicy } };
}

function annotatedPlace(annotations: Readonly<Record<string, string>> = {}): Place | undefined {
  const name = NODE_CACHING_ANNOTATIONS.find((one) => annotations[one] !== undefined);
  if (name === undefined) return undefined;
  const path = `metadata.annotations[${name}]`;
  return { path, intervalPath: path, settings: { interval: annotations[name] || DEFAULT_INTERVAL } };
}

const DEFAULT_INTERVAL = "24h";
const DEFAULT_ROLLBACK_WINDOW = "2h";
const LONGEST_ROLLBACK_WINDOW = "24h";
// A renewal stops a node and publishes an image, which takes minutes; with a shorter interval it would never pause.
const SHORTEST_INTERVAL = "10m";
/** Below this, most of the time some node is out of service. */
const SHORT_INTERVAL = "1h";
// A year; a longer one is a mistake in the unit.
const LONGEST_INTERVAL = "8760h";
const DAY = "24h";

/** Whether the interval is valid, and so short that a user should know. */
export function hasShortInterval(pool: PrototypingSource): boolean {
  const { settings, intervalPath } = placeOf(pool) ?? {};
  if (!settings || intervalErrors(intervalPath ?? "", settings.interval).length > 0) return false;
  return parseDuration(settings.interval) < parseDuration(SHORT_INTERVAL);
}

/** Validates the settings of node prototyping. */
export function nodePrototypingErrors(pool: PrototypingSource): readonly FieldError[] {
  const place = placeOf(pool);
  if (!place) {
    return [];
  }
  const { path, settings } = place;
  return [
    ...intervalErrors(place.intervalPath, settings.interval),
    ...windowErrors(`${path}.window`, settings.window),
    ...rollbackErrors(`${path}.rollbackWindow`, settings.rollbackWindow),
    ...notYetErrors(path, pool, settings),
    ...templateErrors(path, pool),
  ];
}

function templateErrors(path: string, { spec, at = IN_POOL }: PrototypingSource): readonly FieldError[] {
  const { image, osDisk } = spec.template;
  return [
    ...errorIf(
      !(image && isGalleryImage(image)),
      required(`${at}.image.computeGallery`, `${path} needs a gallery image`),
    ),
    ...errorIf(
      osDisk.diffDiskSettings,
      invalid(
        `${at}.osDisk.diffDiskSettings`,
        osDisk.diffDiskSettings,
        `${path} cannot take an image of an ephemeral disk; remove one of the two`,
      ),
    ),
    ...errorIf(
      osDisk.osType === "Windows",
      invalid(`${at}.osDisk.osType`, osDisk.osType, `${path} takes images of Linux nodes only; use Linux`),
    ),
  ];
}

function notYetErrors(
  path: string,
  { spec, at = IN_POOL }: PrototypingSource,
  { rolloutPolicy, promotion }: Frozen<NodePrototyping>,
): readonly FieldError[] {
  const isInPlace = spec.strategy?.rollingUpdate?.instanceUpdate === "InPlace";
  return [
    ...errorIf(
      promotion === "Spec" && at !== IN_POOL,
      invalid(
        `${path}.promotion`,
        promotion,
        "cannot be used here: the spec of a template cannot change; use Status",
      ),
    ),
    ...errorIf(
      rolloutPolicy === "RollingUpdate" && isInPlace,
      invalid(
        `${path}.rolloutPolicy`,
        rolloutPolicy,
        "cannot roll a pool whose instanceUpdate is InPlace: a node would be re-imaged from its own image; use Replace or None",
      ),
    ),
  ];
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

function windowErrors(path: string, window: Frozen<NodePrototyping>["window"]): readonly FieldError[] {
  if (!window) return [];
  const { start, duration: length, timeZone = "UTC" } = window;
  const problems = durationErrors(`${path}.duration`, length);
  const isLong = problems.length === 0 && !isWithinDay(parseDuration(length));
  return [
    ...errorIf(
      !TIME_OF_DAY.test(start),
      invalid(`${path}.start`, start, "must be a time of day such as 22:00"),
    ),
    ...problems,
    ...errorIf(isLong, invalid(`${path}.duration`, length, "must be longer than 0 and at most 24h")),
    ...errorIf(
      !isTimeZone(timeZone),
      invalid(`${path}.timeZone`, timeZone, "must be the IANA name of a time zone, such as Europe/Berlin"),
    ),
  ];
}

function rollbackErrors(path: string, length: string | undefined): readonly FieldError[] {
  if (length === undefined) return [];
  const problems = durationErrors(path, length);
  if (problems.length > 0) return problems;
  const lengthMs = parseDuration(length);
  const isFine = lengthMs >= 0 && lengthMs <= parseDuration(LONGEST_ROLLBACK_WINDOW);
  return errorIf(
    !isFine,
    invalid(path, length, `must be 0s, which switches roll-backs off, or at most ${LONGEST_ROLLBACK_WINDOW}`),
  );
}

function isWithinDay(lengthMs: number): boolean {
  return lengthMs > 0 && lengthMs <= parseDuration(DAY);
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function intervalErrors(path: string, interval: string): readonly FieldError[] {
  const errors = durationErrors(path, interval);
  if (errors.length > 0) {
    return errors;
  }
  const lengthMs = parseDuration(interval);
  if (lengthMs < parseDuration(SHORTEST_INTERVAL)) {
    return [invalid(path, interval, `must be at least ${SHORTEST_INTERVAL}`)];
  }
  return lengthMs > parseDuration(LONGEST_INTERVAL)
    ? [invalid(path, interval, `must be at most ${LONGEST_INTERVAL}, a year`)]
    : [];
}
