import { deepFreeze } from "@capstan/api";
import type { StoredObject } from "../storage/storage.ts";
import type { Fields } from "./fields.ts";

/** The fields of an event with different names: in `events.k8s.io`, and in the core group. */
const NAMES: readonly (readonly [newer: string, older: string])[] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
];

const TO_OLDER: ReadonlyMap<string, string> = new Map(NAMES);
const TO_NEWER: ReadonlyMap<string, string> = new Map(NAMES.map(([newer, older]) => [older, newer]));

/** Converts an event of `events.k8s.io` to the form of the core group, in which events are stored. */
export function olderEvent(event: Fields): Fields {
  return { ...renamed(event, TO_OLDER), apiVersion: "v1" };
}

const newer = new WeakMap<object, StoredObject>();

/** Converts a stored event to the form of `events.k8s.io`; cached per event, so that it is serialized once. */
export function newerEvent(event: StoredObject): StoredObject {
  const known = newer.get(event);
  if (known) return known;
  const shown = deepFreeze({
    ...renamed(event as unknown as Fields, TO_NEWER),
    apiVersion: "events.k8s.io/v1",
  }) as unknown as StoredObject;
  newer.set(event, shown);
  return shown;
}

function renamed(event: Fields, names: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value]));
}
