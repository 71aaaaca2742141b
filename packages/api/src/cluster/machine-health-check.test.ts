import { expect, test } from "vitest";
import { validateObject, withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { MachineHealthCheck } from "./machine-health-check.ts";

type Spec = MachineHealthCheck["spec"];

function check(spec: Partial<Spec> = {}): MachineHealthCheck {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
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

test("gets its time limit and its label", () => {
  const filled = withDefaults(MachineHealthCheck, check());
  expect(filled.metadata.labels).toEqual({ "cluster.x-k8s.io/cluster-name": "c1" });
  expect(filled.spec.checks).toEqual({ nodeStartupTimeoutSeconds: 600 });
});

const triggerIf = (unhealthy: object): object => ({ remediation: { triggerIf: unhealthy } });
const startup = (nodeStartupTimeoutSeconds: unknown): object => ({ checks: { nodeStartupTimeoutSeconds } });

test.each([
  startup(0),
  startup(30),
  triggerIf({ unhealthyLessThanOrEqualTo: 2 }),
  triggerIf({ unhealthyLessThanOrEqualTo: "40%" }),
  triggerIf({ unhealthyInRange: "[3-5]" }),
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
  [startup(29), "spec.checks.nodeStartupTimeoutSeconds: Invalid value: 29: must be at least 30, or 0"],
  [startup("soon"), 'spec.checks.nodeStartupTimeoutSeconds: Invalid value: "soon"'],
  [
    triggerIf({ unhealthyLessThanOrEqualTo: "two" }),
    "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: Invalid value",
  ],
  [triggerIf({ unhealthyInRange: "[5-3]" }), "spec.remediation.triggerIf.unhealthyInRange: Invalid value"],
  [
    { checks: { unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: "1d" }] } },
    "spec.checks.unhealthyNodeConditions[0].timeoutSeconds: Invalid value",
  ],
] as [Partial<Spec>, string][])("refuses %j", (spec, message) => {
  expect(errorsOf(check(spec))).toEqual([expect.stringContaining(message)]);
});

test("is immutable in its cluster", () => {
  expect(errorsOf(check({ clusterName: "c2" }), check())).toEqual([
    'spec.clusterName: Forbidden: field is immutable; it was "c1"',
  ]);
});
