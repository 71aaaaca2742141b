import { AzureMachinePoolMachine, type Frozen } from "@capstan/api";
import type { ScaleSetInstance } from "@capstan/azure";
import { type Client, createIfMissing, deleteIfExists, Failure, unlessGone } from "@capstan/runtime";
import { machinesOfPool } from "../../../pools/machines-of-pool.ts";
import { providerKey } from "../../../workload/nodes.ts";
import type { Pass } from "../scope.ts";
import { newMachine } from "./new-machine.ts";

type Machine = Frozen<AzureMachinePoolMachine>;

// How many small writes to the management cluster run at once.
const AT_ONCE = 25;

/** Creates resources of machines; those that exist already are kept. */
export function createAll(
  client: Client,
  machines: readonly Omit<AzureMachinePoolMachine, "apiVersion" | "kind">[],
): Promise<void> {
  return inTurns(machines, async (machine) => {
    await createIfMissing(client, AzureMachinePoolMachine, machine);
  });
}

/** Creates resources for instances of a pool that is being deleted, so that they are drained; returns how many. */
export async function adoptStragglers(
  scope: Pick<Pass, "context" | "pool">,
  instances: readonly Pick<ScaleSetInstance, "instanceID" | "providerID" | "provisioningState">[],
): Promise<number> {
  const known = new Set(
    machinesOfPool(scope.context.cache, scope.pool).map(({ spec }) => providerKey(spec.providerID)),
  );
  const stragglers = instances.filter(
    ({ providerID, provisioningState }) =>
      provisioningState !== "Deleting" && !known.has(providerKey(providerID)),
  );
  await createAll(
    scope.context.client,
    stragglers.map((instance) => newMachine(scope, instance)),
  );
  return stragglers.length;
}

/** Patches annotations of machines; null removes one. */
export async function annotateAll(
  client: Client,
  machines: readonly Machine[],
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const body = { metadata: { annotations } };
  await inTurns(machines, async (machine) => {
    await unlessGone(client.patch(AzureMachinePoolMachine, placeOf(machine), { type: "merge", body }));
  });
}

/** Deletes machines by UID, so that a successor of the same name is safe. */
export async function deleteAll(client: Client, machines: readonly Machine[]): Promise<void> {
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await inTurns(staying, async (machine) => {
    await deleteIfExists(client, AzureMachinePoolMachine, machine.metadata);
  });
}

function placeOf({ metadata: { name, namespace } }: Machine): {
  readonly name: string;
  readonly namespace?: string;
} {
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** Runs a few writes at a time; all of a batch end before the pass does, also if one fails. The longest Retry-After counts. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const turn = items.slice(start, start + AT_ONCE).map(act);
    const failures = (await Promise.allSettled(turn)).flatMap((end) =>
      end.status === "rejected" ? [end.reason as unknown] : [],
    );
    const [worst] = failures.toSorted((one, other) => waitMsOf(other) - waitMsOf(one));
    if (failures.length > 0) throw worst;
  }
}

function waitMsOf(error: unknown): number {
  return error instanceof Failure ? (error.retryAfterMs ?? 0) : 0;
}
