import { cidrProblem, deepEqual, labelKeyProblems, labelValueProblems } from "@capstan/api";
import { type FieldProblem, forbiddenValue, invalidValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn, objectsIn, textIn } from "../fields.ts";
import { choiceProblems, formProblems, presence } from "./checks.ts";

/** What a taint may do to pods. */
export const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Validates a Node. */
export function nodeProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  return [
    ...taintProblems(objectsIn(spec, "taints")),
    ...((spec["podCIDRs"] ?? []) as readonly string[]).flatMap(rangeProblems),
    ...(old ? nodeChangeProblems(spec, objectIn(old, "spec")) : []),
  ];
}

// kube-apiserver reports this path, although taints are in the spec.
const TAINTS = "metadata.taints";

function taintProblems(taints: readonly Fields[]): FieldProblem[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const at = `${TAINTS}[${index}]`;
    const [key, value, effect] = [textIn(taint, "key"), textIn(taint, "value"), textIn(taint, "effect")];
    const isRepeated = seen.has(`${key} ${effect}`);
    seen.add(`${key} ${effect}`);
    return [
      ...formProblems(`${at}.key`, key, labelKeyProblems),
      ...(value === "" ? [] : formProblems(`${at}.value`, value, labelValueProblems)),
      ...(effect === ""
        ? presence(`${at}.effect`, effect)
        : choiceProblems(`${at}.effect`, effect, TAINT_EFFECTS)),
      ...(isRepeated ? [repeatedTaint(at, taint)] : []),
    ];
  });
}

function repeatedTaint(field: string, taint: Fields): FieldProblem {
  const [Key, Value, Effect] = [textIn(taint, "key"), textIn(taint, "value"), textIn(taint, "effect")];
  const shown = JSON.stringify({ Key, Value, Effect, TimeAdded: taint["timeAdded"] ?? null });
  const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`;
  return { type: "FieldValueDuplicate", field, message };
}

function rangeProblems(range: string, index: number): FieldProblem[] {
  if (cidrProblem(range) === undefined) return [];
  const wanted = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  return [invalidValue(`spec.podCIDRs[${index}]`, range, wanted)];
}

/** Some fields of a node can be set later, but only once. */
function nodeChangeProblems(spec: Fields, old: Fields): FieldProblem[] {
  const onlyOnce = (name: string): boolean => old[name] !== undefined && !deepEqual(old[name], spec[name]);
  return [
    ...(onlyOnce("podCIDRs")
      ? [forbiddenValue("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(onlyOnce("providerID")
      ? [forbiddenValue("spec.providerID", 'node updates may not change providerID except from "" to valid')]
      : []),
    ...(textIn(spec, "externalID") === textIn(old, "externalID")
      ? []
      : [forbiddenValue("spec.externalID", "may not be updated")]),
  ];
}
