import { expect, test } from "vitest";
import { validateObject, withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { MachineHealthCheck } from "./machine-health-check.ts";

type Spec = MachineHealthCheck["spec"];

function check(spec: Partial<Spec> = {}): MachineHealthCheck {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachineHealthCheck",
    metadata: { name: "workers", namespace: "fleet" },
    spec: { clusterName: "c1", selector: { matchLabels: { pool: "a" } }, ...spec },
  };
}

function errorsOf(object: MachineHealthCheck, old?: MachineHealthCheck): string[] {
  const filled = withDefaults(MachineHealthCheck, object);
  return validateObject(MachineHealthCheck, { object: filled, ...(old && { old }) }).errors.map(
    formatFieldError,
  );
}

test("gets its limits, its label and the namespace of its template", () => {
  const filled = withDefaults(
    MachineHealthCheck,
    check({ remediationTemplate: { kind: "Fixer", name: "f" } }),
  );
  expect(filled.metadata.labels).toEqual({ "cluster.x-k8s.io/cluster-name": "c1" });
  expect(filled.spec).toMatchObject({
    maxUnhealthy: "100%",
    nodeStartupTimeout: "10m0s",
    remediationTemplate: { namespace: "fleet" },
  });
});

test.each([
  { nodeStartupTimeout: "0" },
  { nodeStartupTimeout: "30s" },
  { maxUnhealthy: 2 },
  { maxUnhealthy: "40%" },
  { unhealthyRange: "[3-5]" },
  { selector: { matchLabels: { "cluster.x-k8s.io/cluster-name": "c1" } } },
] as Partial<Spec>[])("takes %j", (spec) => {
  expect(errorsOf(check(spec))).toEqual([]);
});

test.each([
  [{ selector: {} }, "spec.selector: Required value: an empty selector would pick every machine"],
  [
    { selector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
    "is not a valid label selector operator",
  ],
  [{ selector: { matchLabels: { "cluster.x-k8s.io/cluster-name": "c2" } } }, "must not pick another cluster"],
  [
    { nodeStartupTimeout: "29s" },
    'spec.nodeStartupTimeout: Invalid value: "29s": must be at least 30s, or 0',
  ],
  [{ nodeStartupTimeout: "soon" }, 'spec.nodeStartupTimeout: Invalid value: "soon": time: invalid duration'],
  [{ maxUnhealthy: "two" }, "spec.maxUnhealthy: Invalid value"],
  [{ unhealthyRange: "[5-3]" }, "spec.unhealthyRange: Invalid value"],
  [
    { unhealthyConditions: [{ type: "Ready", status: "False", timeout: "1d" }] },
    "spec.unhealthyConditions[0].timeout: Invalid value",
  ],
  [
    { unhealthyMachineConditions: [{ type: "Up", status: "False", timeout: "" }] },
    "spec.unhealthyMachineConditions[0].timeout: Invalid value",
  ],
  [
    { remediationTemplate: { name: "f", namespace: "other" } },
    "spec.remediationTemplate.namespace: Invalid value",
  ],
] as [Partial<Spec>, string][])("refuses %j", (spec, message) => {
  expect(errorsOf(check(spec))).toEqual([expect.stringContaining(message)]);
});

test("is immutable in its cluster", () => {
  expect(errorsOf(check({ clusterName: "c2" }), check())).toEqual([
    'spec.clusterName: Forbidden: field is immutable; it was "c1"',
  ]);
});
