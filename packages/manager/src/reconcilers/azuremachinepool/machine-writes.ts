import { AzureMachinePoolMachine, type Frozen } from "@capstan/api";
import { type Client, Failure, isAlreadyExists, isNotFound } from "@capstan/runtime";

type Machine = Frozen<AzureMachinePoolMachine>;

// How many small writes to the management cluster run at once.
const AT_ONCE = 25;

/** Creates resources of machines; those that exist already are kept. */
export function createAll(
  client: Client,
  machines: readonly Omit<AzureMachinePoolMachine, "apiVersion" | "kind">[],
): Promise<void> {
  return inTurns(machines, async (machine) => {
    try {
      await client.create(AzureMachinePoolMachine, machine);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  });
}

/** Patches annotations of machines; null removes one. */
export async function annotateAll(
  client: Client,
  machines: readonly Machine[],
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const body = { metadata: { annotations } };
  await inTurns(machines, async (machine) => {
    try {
      await client.patch(AzureMachinePoolMachine, placeOf(machine), { type: "merge", body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
}

/** Deletes machines by UID, so that a successor of the same name is safe. */
export async function deleteAll(client: Client, machines: readonly Machine[]): Promise<void> {
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await inTurns(staying, async (machine) => {
    const { uid } = machine.metadata;
    try {
      await client.delete(AzureMachinePoolMachine, placeOf(machine), uid === undefined ? {} : { uid });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
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
