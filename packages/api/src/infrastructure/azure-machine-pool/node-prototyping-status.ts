/** The record of the renewals of an image: every step is written before its side effects. */
import {
  type Static,
  boolean,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { Image } from "../image.ts";

const PHASES = [
  "Idle",
  "Selecting",
  "Protecting",
  "Draining",
  "Preparing",
  "Stopping",
  "Snapshotting",
  "Restoring",
  "Scrubbing",
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
  mode: optional(string("Of earlier releases: what happens to it.")),
  machine: string("Its AzureMachinePoolMachine or, for a template, its Machine."),
  nodeName: optional(string("Its Node.")),
  nodeUID: optional(string("The UID of its Node, so that a new Node of that name is not mistaken for it.")),
  bootID: optional(
    string("The boot of its Node before it was stopped: the Node is back when it reports another one."),
  ),
  instanceID: optional(string("Its instance in the scale set, or the name of its virtual machine.")),
  providerID: optional(string("The provider id of its Node.")),
  vmID: optional(string("The id of the VM in Azure.")),
  osDiskID: optional(string("The ARM id of the disk it boots from.")),
  kubeletVersion: optional(string("The version of its kubelet.")),
  cordonedByUs: optional(boolean("Whether we cordoned the Node and so must uncordon it.")),
  outSince: optional(timestamp("Since when its Node takes no pods.")),
  stoppedAt: optional(timestamp("When the VM was observed to be stopped.")),
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
  isRequested: optional(
    boolean("Whether a user asked for this renewal: it is made also if nothing has changed."),
  ),
  fingerprint: optional(string("The contents of the image; the same fingerprint needs no new image.")),
  donor: optional(Donor),
  imageCount: optional(integer("How many container images the Node of the donor reported.")),
  snapshot: optional(
    object("The snapshot of the donor's disk.", {
      name: string("Its name."),
      id: optional(string("Its ARM id.")),
    }),
  ),
  scrub: optional(
    object("Where the identity of the donor is removed.", {
      mode: oneOf(
        "On a copy of the disk before the version is published (Copy), or by each new node at its first boot (FirstBoot).",
        ["Copy", "FirstBoot"],
      ),
      why: optional(string("Why it is not removed on a copy.")),
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
    object("The machine that boots from the version before others do.", {
      name: string("Its scale set, which exists only until the verdict."),
      nodeName: optional(string("Its Node.")),
      bootID: optional(string("The boot in which its Node was first seen.")),
      verdict: optional(oneOf("What became of it.", ["Passed", "Failed", "Skipped"])),
      why: optional(string("Why.")),
    }),
  ),
  joins: optional(
    object("What became of the nodes since the last promotion, once one of them failed to join.", {
      version: string("The version that was promoted."),
      joined: listOf("Machines from that version that joined.", string("A machine.")),
      failed: listOf("Machines from that version that did not join in time.", string("A machine.")),
      failedBefore: listOf("Machines from an image before that did not.", string("A machine.")),
    }),
  ),
  rolledBack: optional(
    object("The last roll-back without a user.", {
      version: string("The version that new machines no longer boot from."),
      at: timestamp("When it was decided."),
      message: string("Why, for people."),
    }),
  ),
  history: optional(
    listOf(
      "The image versions created so far, newest first.",
      object("An image version.", {
        id: string("Its ARM id."),
        version: string("The version."),
        createdAt: timestamp("When it was created."),
        donor: optional(string("The machine it was taken from.")),
        fingerprint: optional(string("What it contains.")),
        sizeGB: optional(integer("Its size in GB.")),
        canary: optional(oneOf("What became of its canary.", ["Passed", "Skipped"])),
        scrubbed: optional(boolean("Whether it is free of the identity of its donor.")),
        replicas: optional(integer("How many copies of it Azure keeps, in all regions.")),
        outOfServiceSeconds: optional(integer("How long its donor took no pods.")),
        state: oneOf("What it is used for.", ["Active", "Previous", "Bad", "Deleting"]),
      }),
    ),
  ),
});

/** The state of node prototyping. */
export type NodePrototypingStatus = Static<typeof NodePrototypingStatus>;
