/** Node OS image caching: its settings in the spec and its state machine in the status. */
import type { Frozen } from "../../kubernetes/meta.ts";
import {
  type Static,
  boolean,
  duration,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { parseDuration } from "../../values/duration.ts";
import { type FieldError, errorIf, invalid, required } from "../../values/field-error.ts";
import { durationErrors } from "../../values/value-errors.ts";
import { Image, isGalleryImage } from "../image.ts";
import type { OSDisk } from "../disks.ts";

/** Periodically creates the image of new nodes from a healthy node. */
export const NodePrototyping = object(
  "Renews the image of new nodes from a healthy node at an interval; presence enables it.",
  {
    interval: duration("How long an image is used before it is renewed, at least 10m.", { default: "24h" }),
    rolloutPolicy: optional(
      oneOf(
        "Whether existing nodes move to a renewed image (RollingUpdate) or only new ones get it (None).",
        ["None", "RollingUpdate"],
        { default: "None" },
      ),
    ),
    window: optional(
      object("When a renewal may begin; at any time unless given.", {
        start: string("The time of day, such as 22:00."),
        duration: duration("How long the window is open, at most 24h."),
        timeZone: optional(
          string("The time zone by its IANA name, such as Europe/Berlin; UTC unless given."),
        ),
      }),
    ),
    donor: optional(
      oneOf(
        "What happens to the node that the image is taken from: it returns (Restart), or it is cleaned before the image is taken and then replaced (Replace).",
        ["Restart", "Replace"],
        { default: "Restart" },
      ),
    ),
  },
);

/** Periodically creates the image of new nodes from a healthy node. */
export type NodePrototyping = Static<typeof NodePrototyping>;

const PHASES = [
  "Idle",
  "Selecting",
  "Protecting",
  "Draining",
  "Preparing",
  "Stopping",
  "Snapshotting",
  "Restoring",
  "Publishing",
  "CleaningSnapshot",
  "Validating",
  "Promoting",
  "Recording",
  "Soaking",
  "RollingBack",
  "Aborting",
] as const;

const Donor = object("The node that the image is taken from.", {
  mode: oneOf("What happens to it.", ["Restart", "Replace"]),
  machine: string("Its AzureMachinePoolMachine."),
  nodeName: optional(string("Its Node.")),
  nodeUID: optional(string("The UID of its Node, so that a new Node of that name is not mistaken for it.")),
  bootID: optional(
    string("The boot of its Node before it was stopped: the Node is back when it reports another one."),
  ),
  instanceID: optional(string("Its instance in the scale set.")),
  vmID: optional(string("The id of the VM in Azure.")),
  osDiskID: optional(string("The ARM id of the disk it boots from.")),
  cordonedByUs: optional(boolean("Whether we cordoned the Node and so must uncordon it.")),
  outSince: optional(timestamp("Since when its Node takes no pods.")),
  stoppedAt: optional(timestamp("When the VM was observed to be stopped; a snapshot must be younger.")),
  backAt: optional(timestamp("When its Node took pods again.")),
  markers: optional(listOf("What we have set on its objects and must remove again.", string("A marker."))),
});

/** The state of node prototyping; written before each of its side effects. */
export const NodePrototypingStatus = object("The progress of the renewal of the image.", {
  phase: oneOf("The current step.", PHASES),
  cycleID: optional(string("The name of this renewal and of everything created for it.")),
  startedAt: optional(timestamp("When this renewal began.")),
  phaseDeadline: optional(timestamp("When the step times out.")),
  attempt: optional(integer("The attempt of the step, from 1.")),
  succeeded: optional(boolean("Whether the snapshot is usable; decides what follows Restoring.")),
  consecutiveFailures: optional(integer("How many renewals failed in a row.")),
  nextAttemptTime: optional(timestamp("Nothing is retried before this time.")),
  lastError: optional(
    object("Why the last renewal failed.", {
      step: string("The step that failed."),
      code: string("The cause, in CamelCase."),
      message: string("The cause, for people."),
    }),
  ),
  baseImage: optional(Image),
  previousImage: optional(Image),
  kubernetesVersion: optional(string("The version that the image's nodes run.")),
  fingerprint: optional(string("The contents of the image; the same fingerprint needs no new image.")),
  donor: optional(Donor),
  snapshot: optional(
    object("The snapshot of the donor's disk.", {
      name: string("Its name."),
      id: optional(string("Its ARM id.")),
    }),
  ),
  imageVersion: optional(
    object("The gallery image version that is being published.", {
      gallery: string("The gallery."),
      definition: string("The image definition."),
      version: string("The version."),
      id: optional(string("Its ARM id.")),
      aggregatedState: optional(string("The state of replication, in Azure's terms.")),
      progress: optional(integer("The progress of replication, in percent.")),
    }),
  ),
  bootImage: optional(
    object("The image definition that new machines boot from instead of the image in the spec.", {
      id: string("Its ARM id."),
      base: string("The image in the spec and the Kubernetes version that it was made for, as a hash."),
    }),
  ),
  observedTrigger: optional(string("The last value of the annotation that asks for a renewal.")),
  observedRollback: optional(string("The last value of the annotation that asks for a rollback.")),
  timeline: optional(
    listOf(
      "The steps of the last renewal, in order.",
      object("A step.", { step: string("Its name."), startedAt: timestamp("When it began.") }),
    ),
  ),
  canary: optional(
    object("The node that tests the image before others get it.", {
      machine: string("Its AzureMachinePoolMachine."),
    }),
  ),
  history: optional(
    listOf(
      "The image versions created so far, newest first.",
      object("An image version.", {
        id: string("Its ARM id."),
        version: string("The version."),
        createdAt: timestamp("When it was created."),
        donor: optional(string("The AzureMachinePoolMachine it was taken from.")),
        fingerprint: optional(string("What it contains.")),
        sizeGB: optional(integer("Its size in GB.")),
        outOfServiceSeconds: optional(integer("How long its donor took no pods.")),
        state: oneOf("What it is used for.", ["Active", "Previous", "Bad", "Deleting"]),
      }),
    ),
  ),
});

/** The state of node prototyping. */
export type NodePrototypingStatus = Static<typeof NodePrototypingStatus>;

/** Annotation of the first draft of the proposal: an interval, used if the spec has none. */
export const NODE_CACHING_INTERVAL_ANNOTATION = "nodeCachingInterval";

/** Annotation of a pool: a new value asks for a renewal now. */
export const PROTOTYPE_NOW_ANNOTATION = "capstan.dev/prototype-now";

/** Annotation of a pool: a new value asks to return to the previous image. */
export const PROTOTYPE_ROLLBACK_ANNOTATION = "capstan.dev/prototype-rollback";

/** Annotation of an AzureMachinePoolMachine and of its Node: the renewal whose donor it is. */
export const PROTOTYPE_DONOR_ANNOTATION = "capstan.dev/prototype-donor";

/** The fields of a pool that decide whether and how its image is renewed. */
export interface PrototypingSource {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly image?: { readonly nodePrototyping?: Frozen<NodePrototyping> };
    readonly template: {
      readonly image?: Frozen<Image> & { readonly nodePrototyping?: Frozen<NodePrototyping> };
      readonly osDisk: Frozen<OSDisk>;
    };
  };
}

/** The effective settings: from the template's image, else from the two older fields; undefined = off. */
export function nodePrototypingOf(
  pool: PrototypingSource,
): (Required<Omit<NodePrototyping, "window">> & Pick<Frozen<NodePrototyping>, "window">) | undefined {
  const interval = pool.metadata.annotations?.[NODE_CACHING_INTERVAL_ANNOTATION];
  const settings =
    pool.spec.template.image?.nodePrototyping ??
    pool.spec.image?.nodePrototyping ??
    (interval === undefined ? undefined : { interval });
  return settings && { rolloutPolicy: "None", donor: "Restart", ...settings };
}

// A renewal stops a node and publishes an image, which takes minutes; with a shorter interval it would never pause.
const SHORTEST_INTERVAL = "10m";

/** Validates the settings of node prototyping. */
export function nodePrototypingErrors(pool: PrototypingSource): readonly FieldError[] {
  const settings = nodePrototypingOf(pool);
  if (!settings) {
    return [];
  }
  const path = pathOf(pool);
  const image = pool.spec.template.image;
  return [
    ...intervalErrors(path.interval, settings.interval),
    ...errorIf(
      !(image && isGalleryImage(image)),
      required("spec.template.image.computeGallery", `${path.switch} needs the pool to use a gallery image`),
    ),
    ...errorIf(
      pool.spec.template.osDisk.diffDiskSettings,
      invalid(
        "spec.template.osDisk.diffDiskSettings",
        pool.spec.template.osDisk.diffDiskSettings,
        `${path.switch} cannot take an image of an ephemeral disk; remove one of the two`,
      ),
    ),
  ];
}

function pathOf(pool: PrototypingSource): { readonly switch: string; readonly interval: string } {
  const places = ["spec.template.image.nodePrototyping", "spec.image.nodePrototyping"] as const;
  const place = pool.spec.template.image?.nodePrototyping
    ? places[0]
    : pool.spec.image?.nodePrototyping && places[1];
  const annotation = `metadata.annotations[${NODE_CACHING_INTERVAL_ANNOTATION}]`;
  return place === undefined
    ? { switch: annotation, interval: annotation }
    : { switch: place, interval: `${place}.interval` };
}

function intervalErrors(path: string, interval: string): readonly FieldError[] {
  const errors = durationErrors(path, interval);
  if (errors.length > 0) {
    return errors;
  }
  return parseDuration(interval) < parseDuration(SHORTEST_INTERVAL)
    ? [invalid(path, interval, `must be at least ${SHORTEST_INTERVAL}`)]
    : [];
}
