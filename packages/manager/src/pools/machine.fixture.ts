import type { AzureMachinePoolMachine, Node } from "@capstan/api";
import { azureMachinePoolMachine, node, type Overrides } from "@capstan/runtime/testing/builders";
import { parseInstance, type ScaleSetInstance } from "@capstan/azure";

/** The id of the VM in Azure's notation. */
const VM_ID = "12345678-9abc-def0-1122-334455667788";
const CREATED = "2026-01-01T00:00:00Z";

/** A running instance as a list shows it, with the given properties. */
export function instanceOf(properties: object = {}, power = "running"): ScaleSetInstance {
  const { providerID } = azureMachinePoolMachine().spec;
  const instance = parseInstance({
    id: providerID.replace("azure://", ""),
    name: "pool_0",
    instanceId: "0",
    properties: {
      provisioningState: "Succeeded",
      latestModelApplied: true,
      vmId: VM_ID,
      timeCreated: CREATED,
      osProfile: { computerName: "pool000000" },
      instanceView: { statuses: [{ code: `PowerState/${power}` }] },
      ...properties,
    },
  });
  if (!instance) throw new Error("no instance");
  return instance;
}

export function nodeOf(...overrides: Overrides<Node>[]): Node {
  return node(
    {
      metadata: { name: "pool000000", uid: "new-uid", creationTimestamp: "2026-01-01T00:05:00Z" },
      status: {
        nodeInfo: { bootID: "new-boot", kubeletVersion: "v1.34.1", systemUUID: VM_ID },
        conditions: [{ type: "Ready", status: "True" }],
      },
    },
    ...overrides,
  );
}

export function machineOf(...overrides: Overrides<AzureMachinePoolMachine>[]): AzureMachinePoolMachine {
  return azureMachinePoolMachine(...overrides);
}
