import { armIdOf, formatArmId, type Frozen, Node, parentArmId } from "@capstan/api";
import type { Azure, InstanceEvent, Machine } from "@capstan/azure-sim";
import type { Env, Transport } from "@capstan/env";
import { type Change, createClient, Informer, silentLogger } from "@capstan/runtime";
import { CloudController, providerIdOf } from "./cloud-controller.ts";
import type { GuestFailure } from "./failure.ts";
import { Guest, type GuestSettings, type GuestWorld } from "./guest.ts";
import { isReady } from "../readiness.ts";
import type { Stage } from "./stages.ts";

/** What guests need. */
export interface GuestsOptions {
  readonly env: Env;
  readonly azure: Azure;
  /** The cluster that guests join. */
  readonly workload: { readonly transport: Transport };
  readonly settings?: Partial<GuestSettings>;
}

/** How one guest is. */
export interface GuestView {
  readonly scaleSetId: string;
  readonly instanceId: string;
  readonly nodeName?: string;
  readonly stage: Stage;
  readonly sinceMs: number;
  /** Why it is no node, or not yet; also in /var/log/cloud-init-output.log on its disk. */
  readonly failure?: GuestFailure;
}

/** The guests of all virtual machines of a cloud. */
export interface Guests {
  /** All guests whose machines exist, in the order in which they came. */
  list(): readonly GuestView[];
  /** Ends everything that guests do; their machines and Nodes stay as they are. */
  close(): void;
}

const DEFAULTS: GuestSettings = {
  // Half of the guests of Cluster API's reference images are Ready a minute after power on.
  boot: { p50: 60, p90: 120 },
  // As kube-controller-manager's --node-monitor-grace-period was for years.
  gracePeriodMs: 40_000,
};

/** Runs a guest in each virtual machine: machines with valid custom data become Nodes of the workload cluster. */
export function startGuests({ env, azure, workload, settings }: GuestsOptions): Guests {
  const closing = new AbortController();
  const client = createClient({ transport: workload.transport, env, fieldManager: "guests" });
  const nodes = new Informer<Node>({
    client,
    env,
    kind: Node,
    scope: {},
    log: silentLogger,
    // Nobody is called back here, so a bug ends the process instead of going unseen.
    onBug: (bug) => void Promise.reject(bug),
  });
  const guests = new GuestTable();
  const controller = new CloudController({
    env,
    client,
    nodes,
    machineOf: (node) => machineOf(azure, guests, node),
  });
  const world: GuestWorld = {
    env,
    core: azure.core,
    client,
    nodes,
    settings: { ...DEFAULTS, ...settings },
    signal: closing.signal,
    named: (guest) => guests.name(guest),
    forgotten: (guest) => {
      guests.remove(guest);
      if (guest.nodeName !== undefined) controller.look(guest.nodeName);
    },
  };
  nodes.addHandler((change) => noticeNode(guests, change));
  const stopListening = azure.core.onInstance((event) => notice(world, guests, event));
  resumeAll(world, guests);
  void nodes.run(closing.signal);
  return {
    list: () => guests.all().map(viewOf),
    close: () => {
      stopListening();
      controller.close();
      closing.abort(new Error("the guests are closed"));
      for (const guest of guests.all()) guest.close();
    },
  };
}

/** Guests by machine and by the name of their Node. */
class GuestTable {
  readonly #byMachine = new Map<string, Guest>();
  readonly #byNode = new Map<string, Guest>();

  all(): readonly Guest[] {
    return [...this.#byMachine.values()];
  }

  of(scaleSetId: string, instanceId: string): Guest | undefined {
    return this.#byMachine.get(machineKey(scaleSetId, instanceId));
  }

  ofNode(nodeName: string): Guest | undefined {
    return this.#byNode.get(nodeName);
  }

  add(guest: Guest): Guest {
    this.#byMachine.set(machineKey(guest.scaleSetId, guest.instanceId), guest);
    return guest;
  }

  name(guest: Guest): void {
    if (guest.nodeName !== undefined) this.#byNode.set(guest.nodeName, guest);
  }

  remove(guest: Guest): void {
    this.#byMachine.delete(machineKey(guest.scaleSetId, guest.instanceId));
    const { nodeName = "" } = guest;
    if (this.#byNode.get(nodeName) === guest) this.#byNode.delete(nodeName);
  }
}

/** ARM does not care for the case of ids. */
function machineKey(scaleSetId: string, instanceId: string): string {
  return `${scaleSetId.toLowerCase()}/${instanceId}`;
}

function notice(world: GuestWorld, guests: GuestTable, event: InstanceEvent): void {
  const { kind, scaleSetId, instanceId } = event;
  // A model that was applied is nothing a guest notices, and a machine that was only created has none yet.
  if (kind === "modelApplied" || kind === "created") return;
  const guest = guests.of(scaleSetId, instanceId) ?? guests.add(new Guest(world, scaleSetId, instanceId));
  guest.happened(kind);
}

function noticeNode(guests: GuestTable, change: Change<Node>): void {
  if (change.type === "deleted" || !isReady(change.object)) {
    guests.ofNode(change.object.metadata.name)?.nodeChanged();
  }
}

/** Machines that a stored cloud brought along. Those under way will be told of. */
function resumeAll(world: GuestWorld, guests: GuestTable): void {
  const { scaleSets } = world.core.world;
  for (const [, { set, id, power }] of scaleSets.instances.entries()) {
    const scaleSetId = scaleSets.get(set)?.id;
    if (scaleSetId === undefined || power === "creating") continue;
    guests.add(new Guest(world, scaleSetId, String(id))).resume(power === "running");
  }
}

/** The machine of a Node: by its provider id, or by its name until it has one. */
function machineOf(azure: Azure, guests: GuestTable, node: Frozen<Node>): Machine | undefined {
  const providerId = providerIdOf(node);
  if (providerId?.kind !== "scaleSetInstance") return guests.ofNode(node.metadata.name)?.machine;
  const set = parentArmId(armIdOf(providerId));
  return set && azure.core.machine(formatArmId(set), providerId.instanceID);
}

function viewOf(guest: Guest): GuestView {
  const { scaleSetId, instanceId, nodeName, state } = guest;
  return {
    scaleSetId,
    instanceId,
    ...(nodeName !== undefined && { nodeName }),
    stage: state.stage,
    sinceMs: state.sinceMs,
    ...(state.failure && { failure: state.failure }),
  };
}
