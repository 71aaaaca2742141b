import { setTimeout as sleep } from "node:timers/promises";
import { AzureMachinePool, type Frozen, Node, Pod } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { node } from "@capstan/runtime/testing/builders";
import type { QuickAzure } from "./quick-azure.ts";

const BETWEEN_LOOKS_MS = 100;

/**
 * Stands in for the software on the machines, which a simulated Azure alone has none of: each machine becomes a Node when
 * it boots, once nobody else is the Node of its name, and pods that are told to stop are gone.
 */
export function startKubelets(
  client: Client,
  azure: Pick<QuickAzure, "machines">,
  workload: Client = client,
): { readonly stop: () => Promise<void> } {
  const joined = new Map<string, string>();
  let isStopped = false;
  const join = async ({ spec, status }: Frozen<AzureMachinePool>): Promise<void> => {
    const machines = azure.machines();
    for (const providerID of spec.providerIDList ?? []) {
      const bootID = machines.get(providerID.toLowerCase());
      if (bootID === undefined || joined.get(providerID) === bootID) continue;
      const joining = nodeFor(providerID, { bootID, kubeletVersion: status?.version ?? "" });
      if (await workload.find(Node, joining.metadata)) continue;
      joined.set(providerID, bootID);
      await workload.create(Node, joining);
    }
  };
  const look = async (): Promise<void> => {
    for (const pool of await client.list(AzureMachinePool)) await join(pool);
    for (const { metadata } of await workload.list(Pod)) {
      if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds !== 0)
        await workload.delete(Pod, metadata, { gracePeriodSeconds: 0 });
    }
  };
  const goOn = async (): Promise<void> => {
    await look();
    await sleep(BETWEEN_LOOKS_MS);
    if (!isStopped) await goOn();
  };
  const running = goOn();
  return {
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

function nodeFor(
  providerID: string,
  nodeInfo: { readonly bootID: string; readonly kubeletVersion: string },
): Node {
  const [pool, , instance] = providerID.split("/").slice(-3);
  // As Azure names the computers of a scale set; a Node of another name would not be believed.
  const name = `${pool}${Number(instance).toString(36).padStart(6, "0")}`;
  return node({
    metadata: { name },
    spec: { providerID },
    status: {
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date(0).toISOString() }],
      nodeInfo,
    },
  });
}
