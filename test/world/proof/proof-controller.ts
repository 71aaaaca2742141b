import { controllerReferenceTo, type Frozen, Machine, MachineSet } from "@capstan/api";
import { nameSuffix, type Transport } from "@capstan/env";
import {
  again,
  block,
  type Client,
  type Context,
  defineReconciler,
  type Editable,
  index,
  isNotFound,
  next,
  on,
  type Outcome,
  type Phase,
  type Reconciler,
  terminal,
  transient,
  type Unsaved,
  waiting,
} from "@capstan/runtime";

/**
 * A small controller that uses every feature of the runner: it reserves a slot in the depot for each MachineSet (a
 * long-running operation, written ahead), keeps `spec.replicas` Machines with random names (so that a decision on a stale
 * cache creates a visible surplus), waits until they run, and cleans up.
 */
export function proofController(depot: Transport, ways: Partial<Ways> = {}): Reconciler {
  const { hasFinalizer = true, waitsForSlot = true, createMachine = createOne, first = [] } = ways;
  return defineReconciler<MachineSet, ProofScope>({
    name: "proof",
    for: MachineSet,
    owns: [Machine],
    watches: [on(Machine, formerOwner)],
    indexes: [
      index(Machine, "owner", ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? []),
    ],
    ...(hasFinalizer && { finalizer: FINALIZER }),
    concurrency: 4,
    scope: (context) => ({ context, depot, createMachine, set: context.object }),
    normal: [misbehave, ...first, waitsForSlot ? reserveSlot : beginSlot, scaleMachines, awaitMachines],
    deleting: [deleteMachines, releaseSlot],
    status: summarize,
  });
}

/** The finalizer of the proof controller. */
export const FINALIZER = "proof.capstan.dev/cleanup";
/** Makes the controller fail in the way it names. */
export const MISBEHAVE = "proof.capstan.dev/misbehave";

/** The data that the phases of one pass share. */
export interface ProofScope {
  readonly context: Context<MachineSet>;
  readonly depot: Transport;
  readonly set: Editable<MachineSet>;
  readonly createMachine: Ways["createMachine"];
}

/** The parts in which an intentionally broken copy of the controller differs. */
export interface Ways {
  readonly hasFinalizer: boolean;
  readonly waitsForSlot: boolean;
  readonly createMachine: (client: Client, machine: Unsaved<Machine>) => Promise<unknown>;
  /** Phases before all others. */
  readonly first: readonly Phase<ProofScope>[];
}

const createOne: Ways["createMachine"] = (client, machine) => client.create(Machine, machine);

/** Reserves the slot and does not wait for it. */
async function beginSlot(scope: ProofScope): Promise<Outcome> {
  await reserveSlot(scope);
  return next;
}

const SECOND = 1000;

function misbehave({ set }: ProofScope): Outcome {
  switch (set.metadata.annotations?.[MISBEHAVE] ?? "") {
    case "wait":
      throw waiting("TideIsLow", "The tide is too low to sail", 30 * SECOND);
    case "transient":
      throw transient("StormAhead", "A storm is ahead");
    case "terminal":
      throw terminal("NoSuchPort", "metadata.annotations names a port that does not exist; choose another");
    case "bug":
      throw new RangeError("the sextant is upside down");
    default:
      return next;
  }
}

/** First the intent, then the call, then polls until it is done. After a crash, the intent makes it read before it calls. */
async function reserveSlot({ context, depot, set }: ProofScope): Promise<Outcome> {
  const path = `/${set.metadata.uid}`;
  if (slotOf(set) === "reserved") return next;
  if (slotOf(set) === undefined) {
    set.status = { ...set.status, propagatedHash: "reserving" };
    await context.persistStatus();
  }
  const answer = await depot.request({ method: "GET", path, headers: {} });
  if (answer.status === 404) {
    context.assertMayWrite();
    await depot.request({ method: "PUT", path, headers: {} });
    return block(10 * SECOND, "ReservingSlot");
  }
  const { ready } = (await answer.json()) as { ready: boolean };
  if (!ready) return block(10 * SECOND, "ReservingSlot");
  set.status = { ...set.status, propagatedHash: "reserved" };
  return next;
}

/** The infrastructure of machines in these tests, which no controller looks up. */
export const BERTH = { apiGroup: "infrastructure.example.com", kind: "Berth", name: "a" };

/** A text in the status of a MachineSet that only its controller uses. */
function slotOf({ status }: Frozen<MachineSet>): unknown {
  return status?.propagatedHash;
}

/** One write for each Machine, decided on a cache that has seen all own writes. */
async function scaleMachines({ context, set, createMachine }: ProofScope): Promise<Outcome> {
  const machines = machinesOf({ context, set }).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const desired = set.spec.replicas ?? 1;
  for (let count = machines.length; count < desired; count++) {
    const name = `${set.metadata.name}-${nameSuffix(context.env.rng("machine-names"))}`;
    await createMachine(context.client, {
      metadata: {
        name,
        namespace: set.metadata.namespace ?? "",
        ownerReferences: [controllerReferenceTo(set)],
      },
      spec: {
        clusterName: set.spec.clusterName,
        bootstrap: { dataSecretName: "" },
        infrastructureRef: BERTH,
      },
    });
    context.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created Machine ${name}` });
  }
  for (const { metadata } of machines.slice(desired)) {
    await context.client.delete(Machine, metadata, metadata.uid === undefined ? {} : { uid: metadata.uid });
  }
  return next;
}

function awaitMachines(scope: ProofScope): Outcome {
  return machinesOf(scope).length === (scope.set.spec.replicas ?? 1)
    ? next
    : again(15 * SECOND, "WaitingForMachines");
}

async function deleteMachines({ context, set }: ProofScope): Promise<Outcome> {
  const machines = machinesOf({ context, set });
  for (const { metadata } of machines) {
    if (metadata.deletionTimestamp !== undefined) continue;
    await context.client
      .delete(Machine, metadata, metadata.uid === undefined ? {} : { uid: metadata.uid })
      .catch(ignoreNotFound);
  }
  return machines.length === 0 ? next : block(5 * SECOND, "DeletingMachines");
}

async function releaseSlot({ context, depot, set }: ProofScope): Promise<Outcome> {
  context.assertMayWrite();
  await depot.request({ method: "DELETE", path: `/${set.metadata.uid}`, headers: {} });
  return next;
}

function summarize(scope: ProofScope, { settled }: { readonly settled: boolean }): void {
  const { set } = scope;
  set.status = { ...set.status, replicas: machinesOf(scope).length };
  if (settled && set.metadata.generation !== undefined)
    set.status.observedGeneration = set.metadata.generation;
}

function machinesOf({ context, set }: Pick<ProofScope, "context" | "set">): Frozen<Machine>[] {
  return context.cache
    .list(Machine, { index: "owner", value: set.metadata.uid ?? "" })
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** A Machine may lose its owner reference; its label still names the owner. */
function formerOwner({ metadata }: Frozen<Machine>): { name: string; namespace: string }[] {
  const name = metadata.labels?.["cluster.x-k8s.io/set-name"];
  return name === undefined ? [] : [{ name, namespace: metadata.namespace ?? "" }];
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
