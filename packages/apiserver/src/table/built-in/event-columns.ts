import type { StoredObject } from "../../storage/storage.ts";
import { at, type Column, column, count, NAME, text, wideColumn } from "../column.ts";
import { since, UNKNOWN } from "../human-duration.ts";

/** The columns of Event, in both groups that serve it: some fields have different names. */
export const eventColumns: readonly Column[] = [
  column("Last Seen", "The time since it happened last.", lastSeen),
  column("Type", "Whether it is normal or a warning.", (event) => text(event["type"])),
  column("Reason", "Why it happened, in one word.", (event) => text(event["reason"])),
  column("Object", "The object it is about.", (event) => nameOf(subject(event))),
  wideColumn("Subobject", "The part of the object it is about.", (event) =>
    text(at(subject(event), "fieldPath")),
  ),
  wideColumn("Source", "Who reported it.", sourceOf),
  column("Message", "What happened.", (event) => text(event["message"] ?? event["note"]).trim()),
  wideColumn("First Seen", "The time since it happened first.", firstSeen),
  wideColumn("Count", "How often it happened.", countOf),
  { ...NAME, priority: 1 },
];

function subject(event: StoredObject): unknown {
  return event["involvedObject"] ?? event["regarding"];
}

function nameOf(object: unknown): string {
  const kind = text(at(object, "kind")).toLowerCase();
  const name = text(at(object, "name"));
  return name === "" ? kind : `${kind}/${name}`;
}

function firstSeen(event: StoredObject, now: number): string {
  return since(event["firstTimestamp"] ?? event["deprecatedFirstTimestamp"] ?? event["eventTime"], now);
}

function lastSeen(event: StoredObject, now: number): string {
  const { series } = event;
  if (series) return since(at(series, "lastObservedTime"), now);
  const last = since(event["lastTimestamp"] ?? event["deprecatedLastTimestamp"], now);
  return last === UNKNOWN ? firstSeen(event, now) : last;
}

function countOf(event: StoredObject): number {
  const { series } = event;
  if (series) return count(at(series, "count"));
  return count(event["count"] ?? event["deprecatedCount"]) || 1;
}

function sourceOf(event: StoredObject): string {
  const source = event["source"] ?? event["deprecatedSource"];
  const reporter = text(event["reportingComponent"] ?? event["reportingController"]);
  const component = text(at(source, "component")) || reporter;
  const instance = text(at(source, "host")) || text(event["reportingInstance"]);
  return instance === "" ? component : `${component}, ${instance}`;
}
