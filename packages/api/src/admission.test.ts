import { expect, test } from "vitest";
import { validateObject, withDefaults } from "./admission.ts";
import { MachinePool } from "./cluster/machine-pool.ts";
import { deepFreeze } from "./values/deep-copy.ts";

const pool = deepFreeze({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  metadata: { name: "pool", namespace: "fleet" },
  spec: {
    clusterName: "c1",
    template: {
      spec: {
        clusterName: "c1",
        bootstrap: { dataSecretName: "data" },
        infrastructureRef: {
          apiGroup: "infrastructure.cluster.x-k8s.io",
          kind: "AzureMachinePool",
          name: "amp",
        },
      },
    },
  },
});

test("sets defaults on a copy and leaves the object unchanged", () => {
  const filled = withDefaults(MachinePool, pool);
  expect(filled.spec.replicas).toBe(1);
  expect(pool.spec).not.toHaveProperty("replicas");
});

test("sets defaults that stay the same when they are set again", () => {
  const once = withDefaults(MachinePool, pool);
  expect(withDefaults(MachinePool, once)).toEqual(once);
});

test("returns errors and warnings", () => {
  expect(validateObject(MachinePool, { object: pool })).toEqual({ errors: [], warnings: [] });
});
