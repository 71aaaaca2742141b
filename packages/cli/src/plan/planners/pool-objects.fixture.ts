/** Objects of a pool for tests: three machines, one of which has the model that the pool wants. */
import type { AzureMachinePool, AzureMachinePoolMachine, MachinePool } from "@capstan/api";
import { MACHINE_POOL_LABEL } from "@capstan/manager";
import {
  azureMachinePool,
  azureMachinePoolMachine,
  machinePool,
  type Overrides,
} from "@capstan/runtime/testing/builders";

const SCALE_SET =
  "azure:///subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/cluster/providers/Microsoft.Compute/virtualMachineScaleSets";

/** The current time in these tests. */
export const NOW = "2026-01-01T12:00:00Z";

/** A pool whose scale set has model `v1-new`. */
export function poolObject(...overrides: Overrides<AzureMachinePool>[]): AzureMachinePool {
  return azureMachinePool(
    { metadata: { uid: "uid-of-pool" }, status: { modelHash: "v1-new", ready: true } },
    ...overrides,
  );
}

/** Its MachinePool, with three machines by default. */
export function machinePoolObject(...overrides: Overrides<MachinePool>[]): MachinePool {
  return machinePool({ metadata: { uid: "uid-of-machine-pool" }, spec: { replicas: 3 } }, ...overrides);
}

/** A ready machine of the pool. */
export function machineObject(
  instanceID: number,
  modelHash: string,
  ...overrides: Overrides<AzureMachinePoolMachine>[]
): AzureMachinePoolMachine {
  const id = String(instanceID);
  return azureMachinePoolMachine(
    {
      metadata: {
        name: `pool-${id}`,
        uid: `uid-of-${id}`,
        creationTimestamp: `2026-01-01T10:0${id}:00Z`,
        labels: { [MACHINE_POOL_LABEL]: "pool" },
      },
      spec: { providerID: `${SCALE_SET}/pool/virtualMachines/${id}`, instanceID: id },
      status: {
        ready: true,
        provisioningState: "Succeeded",
        modelHash,
        nodeRef: { kind: "Node", name: `pool00000${id}` },
        conditions: [
          { type: "Ready", status: "True", reason: "Ready", lastTransitionTime: "2026-01-01T10:10:00Z" },
        ],
      },
    },
    ...overrides,
  );
}

/** All of them; the first two machines have an older model. */
export function poolObjects(): [AzureMachinePool, MachinePool, ...AzureMachinePoolMachine[]] {
  return [
    poolObject({ spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } }),
    machinePoolObject(),
    machineObject(0, "v1-old"),
    machineObject(1, "v1-old"),
    machineObject(2, "v1-new"),
  ];
}
