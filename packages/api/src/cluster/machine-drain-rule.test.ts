import { expect, test } from "vitest";
import { validateObject } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { MachineDrainRule } from "./machine-drain-rule.ts";

function errorsOf(spec: MachineDrainRule["spec"]): readonly string[] {
  const metadata = { name: "databases-last", namespace: "fleet" };
  const object = { apiVersion: MachineDrainRule.apiVersion, kind: "MachineDrainRule", metadata, spec };
  return validateObject(MachineDrainRule, { object }).errors.map(formatFieldError);
}

const selector = { matchLabels: { app: "db" } };

test.each<MachineDrainRule["spec"]>([
  { drain: { behavior: "Drain", order: 10 }, pods: [{ selector }] },
  { drain: { behavior: "Skip" }, machines: [{ clusterSelector: selector }] },
  { drain: { behavior: "WaitCompleted" }, pods: [{ namespaceSelector: {} }] },
])("%o is accepted", (spec) => {
  expect(errorsOf(spec)).toEqual([]);
});

const wrong = { matchExpressions: [{ key: "app", operator: "Near" }] };

test.each<[string, MachineDrainRule["spec"], RegExp]>([
  [
    "an order without eviction",
    { drain: { behavior: "Skip", order: 1 } },
    /spec\.drain\.order.*behavior Skip/,
  ],
  ["an empty entry", { drain: { behavior: "Drain" }, pods: [{}] }, /spec\.pods\[0\].*matches nothing/],
  [
    "an unknown operator",
    { drain: { behavior: "Drain" }, machines: [{ selector: wrong }] },
    /spec\.machines\[0\]\.selector.*"Near"/,
  ],
])("%s is refused with its field", (_name, spec, message) => {
  expect(errorsOf(spec).join()).toMatch(message);
});
