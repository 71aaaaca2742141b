import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";
import type { ObjectReference } from "./object-reference.ts";

/** A report of something that happened to an object. */
export interface Event extends KubernetesObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  type?: "Normal" | "Warning";
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  /** With microseconds, unlike the other times. */
  eventTime?: string | null;
  source?: { component?: string; host?: string };
  action?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
  series?: { count?: number; lastObservedTime?: string };
}

/** A report of something that happened to an object. */
export const Event = builtInKind<Event>({
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
});
