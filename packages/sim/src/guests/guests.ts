import type { Frozen, Node } from "@capstan/api";
import type { Azure, CommandResult, Machine, MachineEvent } from "@capstan/azure-sim";
import type { Env } from "@capstan/env";
import { transient } from "@capstan/runtime";
import type { EtcdClusters } from "../etcd/etcd-clusters.ts";
import { machineIdIn } from "../machine-id.ts";
import { providerIdOf } from "./cloud-provider.ts";
import type { GuestFailure } from "./failure.ts";
import { etcdHostOf, type InitializeControlPlane, seatGuest } from "./control-plane-seat.ts";
import { Guest, type GuestSettings, type GuestWorld, type ScrubFault } from "./guest.ts";
import { GuestClusters, type WorkloadCluster } from "./guest-clusters.ts";
import type { Stage } from "./stages.ts";

/** The options of guests. */
export interface GuestsOptions {
  readonly env: Env;
  readonly azure: Azure;
  /** The cluster whose API server is at an endpoint: host and port in lower case. */
  readonly clusterAt: (endpoint: string) => WorkloadCluster | undefined;
  /** The etcd of all control planes; machines of control planes add themselves. */
  readonly etcd: EtcdClusters;
  /** Starts the API server of a control plane, for `kubeadm init`. */
  readonly initialize: InitializeControlPlane;
  readonly settings?: Partial<GuestSettings>;
  /** Runs when a guest fails to become a node, or has to wait. */
  readonly onFailure?: (guest: GuestView) => void;
}

/** The state of one guest. */
export interface GuestView {
  /** The ARM id of its machine in lower case. */
  readonly machineId: string;
  readonly nodeName?: string;
  readonly stage: Stage;
  readonly sinceMs: number;
  /** Why it is not a node, or not yet; also in /var/log/cloud-init-output.log on its disk. */
  readonly failure?: GuestFailure;
}

/** The guests of all virtual machines of a cloud. */
export interface Guests {
  /** All guests whose machines exist, in order of creation. */
  list(): readonly GuestView[];
  /**
   * Runs the node controller for the cluster at an endpoint. It runs anyway in clusters that machines join; this call covers
   * clusters whose machines were all deleted while this process did not run.
   */
  attend(endpoint: string): void;
  /** Runs a script as root in a machine, by its ARM id or provider id, as an agent inside the machine would. */
  run(machine: string, script: string): CommandResult;
  /** Keeps the next machine that boots for the first time from becoming a node. */
  spoilNext(): void;
  /** Lets scrubs on helpers fail from now on, or work again. */
  breakScrubs(fault: ScrubFault | undefined): void;
  /** Cancels all pending calls of `spoilNext`. */
  spoilNone(): void;
  /** Stops all guests; their machines and Nodes stay. */
  close(): void;
}

const DEFAULTS: GuestSettings = {
  // Half of the guests with Cluster API's reference images are Ready a minute after power on.
  boot: { p50: 60, p90: 120 },
  // The default of kube-controller-manager's --node-monitor-grace-period for years.
  gracePeriodMs: 40_000,
  kubeadmSpeed: 1,
};

/** Runs a guest in each virtual machine: machines with valid custom data become Nodes of their workload cluster. */
export function startGuests(options: GuestsOptions): Guests {
  const { env, azure, clusterAt, settings, onFailure, etcd, initialize } = options;
  const closing = new AbortController();
  const guests = new GuestTable();
  const complete = { ...DEFAULTS, ...settings };
  const clusters = new GuestClusters({
    env,
    clusterAt,
    gracePeriodMs: complete.gracePeriodMs,
    machineOf: (endpoint, node) => machineOf(azure, node, () => guests.ofNode(endpoint, node.metadata.name)),
    isSpeaking: (endpoint, nodeName) => guests.ofNode(endpoint, nodeName)?.isSpeaking ?? false,
    noticed: (endpoint, { type, object }) =>
      guests.ofNode(endpoint, object.metadata.name)?.nodeChanged(type === "deleted" ? undefined : object),
  });
  let spoiled = 0;
  let scrubFault: ScrubFault | undefined;
  const world: GuestWorld = {
    env,
    takeSpoiled: () => spoiled > 0 && spoiled-- > 0,
    scrubFault: () => scrubFault,
    core: azure.core,
    settings: complete,
    signal: closing.signal,
    clusterAt: (endpoint) => clusters.at(endpoint),
    disksKept: () => disksKept(azure),
    seatOf: (guest) => ({
      etcd: etcd.at(guest.endpoint),
      host: etcdHostOf(azure.core, guest),
      initialize: (init) => initialize(guest.endpoint, init),
    }),
    seatChanged: (guest) => etcd.at(guest.endpoint).hostChanged(),
    named: (guest) => {
      guests.name(guest);
      seatGuest(etcd, azure.core, guest);
    },
    failed: (guest) => onFailure?.(viewOf(guest)),
    forgotten: (guest) => {
      guests.remove(guest);
      if (guest.endpoint !== "") etcd.at(guest.endpoint).remove(guest.machineId);
      if (guest.nodeName !== undefined) clusters.at(guest.endpoint)?.look(guest.nodeName);
    },
  };
  const stopListening = azure.core.onMachine((event) => notice(world, guests, event));
  const run = (machineId: string, script: string): CommandResult =>
    guests.of(machineId)?.run(script) ?? { exitCode: 1, output: "", error: "There is no such machine" };
  azure.core.onCommand(({ machineId, script }) => run(machineId, script));
  resumeAll(world, guests);
  return {
    list: () => guests.all().map(viewOf),
    run: (machine, script) => run(machineIdIn(machine) ?? machine.toLowerCase(), script),
    attend: (endpoint) => void clusters.at(endpoint.toLowerCase()),
    spoilNext: () => void spoiled++,
    breakScrubs: (fault) => void (scrubFault = fault),
    spoilNone: () => void (spoiled = 0),
    close: () => {
      stopListening();
      closing.abort(new Error("the guests are closed"));
      clusters.close();
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

  of(machineId: string): Guest | undefined {
    return this.#byMachine.get(machineId);
  }

  ofNode(endpoint: string, nodeName: string): Guest | undefined {
    const guest = this.#byNode.get(`${endpoint}/${nodeName}`);
    // A machine that was re-imaged may have become another Node since.
    return guest?.endpoint === endpoint && guest.nodeName === nodeName ? guest : undefined;
  }

  add(guest: Guest): Guest {
    this.#byMachine.set(guest.machineId, guest);
    return guest;
  }

  name(guest: Guest): void {
    this.#byNode.set(`${guest.endpoint}/${guest.nodeName}`, guest);
  }

  remove(guest: Guest): void {
    this.#byMachine.delete(guest.machineId);
    const key = `${guest.endpoint}/${guest.nodeName}`;
    if (this.#byNode.get(key) === guest) this.#byNode.delete(key);
  }
}

function notice(world: GuestWorld, guests: GuestTable, { kind, machineId }: MachineEvent): void {
  // A guest does not notice an applied model, and a created machine does not run yet.
  if (kind === "modelApplied" || kind === "created") return;
  const guest = guests.of(machineId) ?? guests.add(new Guest(world, machineId));
  guest.happened(kind);
}

/** Adopts the machines of a restored cloud. Those still being created will send events. */
function resumeAll(world: GuestWorld, guests: GuestTable): void {
  for (const { machineId, power } of world.core.world.machines.records()) {
    if (power === "creating") continue;
    guests.add(new Guest(world, machineId)).resume(power === "running");
  }
}

/** The machine of a Node: by provider id, or by name until it is set. */
function machineOf(
  azure: Azure,
  node: Frozen<Node>,
  findNamed: () => Guest | undefined,
): Machine | undefined {
  const machineId = providerIdOf(node) && machineIdIn(node.spec?.providerID);
  return machineId === undefined ? findNamed()?.machine : azure.core.machine(machineId);
}

/** Resolves when all changes of the cloud so far survive a crash. */
async function disksKept(azure: Azure): Promise<void> {
  try {
    await azure.kept();
  } catch (error) {
    throw transient(
      "DiskNotKept",
      `the simulated Azure could not store what is on the disk: ${(error as Error).message}`,
    );
  }
}

function viewOf(guest: Guest): GuestView {
  const { machineId, nodeName, state } = guest;
  return {
    machineId,
    ...(nodeName !== undefined && { nodeName }),
    stage: state.stage,
    sinceMs: state.sinceMs,
    ...(state.failure && { failure: state.failure }),
  };
}
