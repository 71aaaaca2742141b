import { azureMachinePool, machine, machinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { machinePolicy, poolPolicy } from "./token-policy.ts";

const ANNOTATION = "cluster.x-k8s.io/replicas-managed-by";
const managedBy = (value: string) => machinePool({ metadata: { annotations: { [ANNOTATION]: value } } });
const spot = azureMachinePool({ spec: { template: { spotVMOptions: {} } } });
const foreign = machinePool({
  spec: {
    template: {
      spec: {
        infrastructureRef: {
          apiGroup: "infrastructure.cluster.x-k8s.io",
          kind: "DockerMachinePool",
        },
      },
    },
  },
});

test.each([
  ["an AzureMachinePool", machinePool(), azureMachinePool(), false],
  ["a pool whose infrastructure does not exist yet", machinePool(), undefined, false],
  ["a pool that an autoscaler resizes", managedBy("cluster-autoscaler"), azureMachinePool(), true],
  ["a pool that says it has no autoscaler", managedBy("false"), azureMachinePool(), false],
  ["a spot pool", machinePool(), spot, true],
  ["a pool of another provider", foreign, undefined, true],
])("whether %s renews its token without a request", (_, pool, infrastructure, renews) => {
  const policy = poolPolicy(pool, infrastructure);
  expect(policy.renews).toBe(renews);
  expect(policy.enoughMs).toBe(policy.ttlMs / 2);
});

test("the token of a machine is kept valid until its infrastructure is ready", () => {
  expect(machinePolicy(machine()).renews).toBe(true);
  expect(
    machinePolicy(machine({ status: { initialization: { infrastructureProvisioned: true } } })).renews,
  ).toBe(false);
});
