import { deepEqual, labelKeyProblems } from "@capstan/api";
import { type FieldProblem, invalidValue, requiredValue } from "../../schema/problem.ts";
import type { Draft } from "../../storage/storage.ts";
import { type Fields, numberIn, objectIn, textIn } from "../fields.ts";
import { changeProblems, formProblems, presence } from "./checks.ts";

/** Validates an Event of the core group. */
export function eventProblems(draft: Draft): FieldProblem[] {
  return formOf(draft, "reportingComponent");
}

/** Validates an Event in the newer form; it is checked after conversion to the older one, by stricter rules. */
export function newEventProblems(event: Draft, old: Fields | undefined): FieldProblem[] {
  return [
    ...formOf(event, "reportingController"),
    ...(old ? eventChangeProblems(event, old) : [...seriesProblems(event), ...strictProblems(event)]),
  ];
}

/** An event with a time to the microsecond has the newer form, and must name its reporter and the reason. */
function formOf(event: Draft, controllerField: string): FieldProblem[] {
  const { namespace = "" } = event.metadata;
  const about = textIn(objectIn(event, "involvedObject"), "namespace");
  const isNew = event["eventTime"] !== undefined;
  const fits = isNew
    ? about !== "" || namespace === "default" || namespace === "kube-system"
    : about === namespace || (about === "" && namespace === "default");
  return [
    ...(fits ? [] : [invalidValue("involvedObject.namespace", about, "does not match event.namespace")]),
    ...(isNew ? reportProblems(event, controllerField) : []),
  ];
}

function reportProblems(event: Draft, controllerField: string): FieldProblem[] {
  const controller = textIn(event, "reportingComponent");
  return [
    ...presence(controllerField, controller),
    ...formProblems(controllerField, controller, labelKeyProblems),
    ...["reportingInstance", "action", "reason"].flatMap((name) => [
      ...presence(name, event[name]),
      ...lengthProblems(event, name, 128),
    ]),
    ...lengthProblems(event, "message", 1024),
  ];
}

function lengthProblems(event: Draft, name: string, limit: number): FieldProblem[] {
  const isTooLong = Buffer.byteLength(textIn(event, name)) > limit;
  return isTooLong ? [invalidValue(name, "", `can have at most ${limit} characters`)] : [];
}

function seriesProblems({ series }: Draft): FieldProblem[] {
  if (!series) return [];
  return [
    ...(numberIn(series as Fields, "count") < 2
      ? [invalidValue("series.count", "", "should be at least 2")]
      : []),
    ...presence("series.lastObservedTime", (series as Fields)["lastObservedTime"]),
  ];
}

/** The newer form does not allow the fields of the older one. */
function strictProblems(event: Draft): FieldProblem[] {
  const type = textIn(event, "type");
  const { component, host } = objectIn(event, "source");
  const unused = { ...event, source: component ?? host } as Fields;
  return [
    ...(event["eventTime"] === undefined ? [requiredValue("eventTime")] : []),
    ...(type === "Normal" || type === "Warning"
      ? []
      : [invalidValue("type", "", `has invalid value: ${type}`)]),
    ...["firstTimestamp", "lastTimestamp", "count", "source"]
      .filter((name) => unused[name] !== undefined)
      .map((name) => invalidValue(name, "", "needs to be unset")),
  ];
}

const FIXED = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
];

function eventChangeProblems(event: Draft, old: Fields): FieldProblem[] {
  const isSameSeries = deepEqual(event["series"] ?? {}, old["series"] ?? {});
  return [
    ...(isSameSeries ? [] : seriesProblems(event)),
    ...FIXED.flatMap((name) =>
      changeProblems(name === "reportingComponent" ? "reportingController" : name, event[name], old[name]),
    ),
  ];
}
