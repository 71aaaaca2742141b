import { expect, test } from "vitest";
import { validateObject, withDefaults } from "./admission.ts";
import { MachinePool } from "./cluster/machine-pool.ts";
import { ExtensionConfig } from "./runtime-extension/extension-config.ts";
import { deepFreeze } from "./values/deep-copy.ts";

const pool = deepFreeze({
  apiVersion: "cluster.x-k8s.io/v1beta1",
  kind: "MachinePool",
  metadata: { name: "pool", namespace: "fleet" },
  spec: {
    clusterName: "c1",
    template: {
      spec: { clusterName: "c1", bootstrap: { dataSecretName: "data" }, infrastructureRef: { name: "amp" } },
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

test("warns who creates an object of a kind without a controller, and not who changes one", () => {
  const object = deepFreeze({
    apiVersion: "runtime.cluster.x-k8s.io/v1alpha1",
    kind: "ExtensionConfig",
    metadata: { name: "updater" },
    spec: { clientConfig: { url: "https://updater.example.com/hooks" } },
  });
  const warned = [
    "Capstan has no controller for ExtensionConfig yet: the object is stored, and nothing happens unless another provider acts on it",
  ];
  expect(validateObject(ExtensionConfig, { object }).warnings).toEqual(expect.arrayContaining(warned));
  expect(validateObject(ExtensionConfig, { object, old: object }).warnings).not.toEqual(
    expect.arrayContaining(warned),
  );
});
