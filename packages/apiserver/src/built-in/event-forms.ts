import { deepFreeze } from "@capstan/api";
import type { StoredObject } from "../storage/storage.ts";
import type { Fields } from "./fields.ts";

/** The fields of an event that changed their names: in `events.k8s.io`, and in the core group. */
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

/** An event of `events.k8s.io` as the core group has it, which is how events are stored. */
export function olderEvent(event: Fields): Fields {
  return { ...renamed(event, TO_OLDER), apiVersion: "v1" };
}

const newer = new WeakMap<object, StoredObject>();

/** A stored event as `events.k8s.io` has it; made once for each, so that its text is printed once. */
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
