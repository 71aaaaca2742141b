import { createRng, type Rng } from "@capstan/env";
import { Disks } from "../disks/disks.ts";
import { Faults } from "../faults/faults.ts";
import type { JsonObject } from "../json.ts";
import { drawMs, type Latencies, RECORDED } from "../latency/latencies.ts";
import type { MachineEvent } from "../machines/machine-events.ts";
import { Machines } from "../machines/machines.ts";
import { Operations } from "../operations/operations.ts";
import { Policies } from "../policies/policies.ts";
import { Usage } from "../quota/usage.ts";
import { ImageCatalog } from "../resources/images/catalog.ts";
import type { ManagedClusterEvent } from "../resources/managed-clusters/managed-cluster-event.ts";
import { AKS_NODE_IMAGE } from "../resources/managed-clusters/node-image.ts";
import { Addresses } from "../resources/network/addresses.ts";
import type { RunInGuest } from "../resources/run-commands/run-commands.ts";
import { ScaleSets } from "../resources/scale-sets/scale-sets.ts";
import { VirtualMachines } from "../resources/virtual-machines/virtual-machines.ts";
import type { AzureSettings } from "../settings.ts";
import { Throttle } from "../throttling/throttle.ts";
import { Agenda } from "./agenda.ts";
import { Resources } from "./resources.ts";
import { Table } from "./table.ts";

/** A change of the cloud that the agenda holds by name. */
export type Effect = (world: AzureState, args: JsonObject) => void;

/** The whole state of the simulated cloud, as handlers see it. */
export interface AzureState {
  readonly seed: string;
  readonly settings: AzureSettings;
  /** The time of the change or request in progress. */
  nowMs: number;
  /** How long reads may miss new resources; undefined means no lag. */
  consistencyLag: AzureSettings["consistencyLag"] | undefined;
  readonly agenda: Agenda;
  readonly resources: Resources;
  readonly operations: Operations;
  readonly scaleSets: ScaleSets;
  readonly virtualMachines: VirtualMachines;
  /** All virtual machines by ARM id, whichever type of resource they are. */
  readonly machines: Machines;
  readonly throttle: Throttle;
  readonly usage: Usage;
  readonly addresses: Addresses;
  readonly images: ImageCatalog;
  readonly disks: Disks;
  readonly faults: Faults;
  readonly policies: Policies;
  /** How often each operation ran on a resource: part of the name of a random stream, so that repeats draw other numbers. */
  readonly attempts: Table<number>;
  /** Provider registrations that differ from the default, by subscription and namespace. */
  readonly registrations: Table<string>;
  readonly effects: Map<string, Effect>;
  /** Runs a script inside a machine. */
  runInGuest: RunInGuest;
  /** The kubeconfig of a managed cluster by its ARM id; undefined when no API server serves it. */
  kubeconfigOf: (id: string) => string | undefined;
  /** Notifies the listeners. */
  notify(event: Omit<MachineEvent, "atMs">): void;
  /** Notifies the listeners of managed clusters. */
  notifyManagedCluster(event: ManagedClusterEvent): void;
}

/** The tables that a store keeps. */
export function tablesOf(world: AzureState): readonly Table<unknown>[] {
  const tables: unknown[] = [
    world.agenda.table,
    world.resources.table,
    world.operations.table,
    world.scaleSets.sets,
    world.scaleSets.instances,
    world.virtualMachines.table,
    world.disks.table,
    world.images.table,
    world.faults.table,
    world.policies.table,
    world.attempts,
    world.registrations,
  ];
  return tables as readonly Table<unknown>[];
}

/** Creates an empty cloud. */
export function createWorld(options: {
  readonly seed: string;
  readonly settings: AzureSettings;
  readonly isStored: boolean;
  readonly notify: (event: MachineEvent) => void;
  readonly notifyManagedCluster: (event: ManagedClusterEvent) => void;
}): AzureState {
  const { seed, settings, isStored } = options;
  const agenda = new Agenda(isStored);
  const world: AzureState = {
    seed,
    settings,
    nowMs: 0,
    consistencyLag: settings.consistencyLag,
    agenda,
    resources: new Resources(isStored),
    operations: new Operations(seed, agenda, isStored),
    scaleSets: new ScaleSets(isStored),
    virtualMachines: new VirtualMachines(isStored),
    machines: new Machines(),
    throttle: new Throttle(settings.isThrottled),
    usage: new Usage(settings),
    addresses: new Addresses(),
    images: new ImageCatalog([...settings.images, AKS_NODE_IMAGE], isStored),
    disks: new Disks(isStored),
    faults: new Faults(seed, isStored),
    policies: new Policies(isStored),
    attempts: new Table<number>("attempt", isStored),
    registrations: new Table<string>("registration", isStored),
    effects: new Map(),
    // Without guests a script has no effect.
    runInGuest: () => ({ exitCode: 0, output: "", error: "" }),
    kubeconfigOf: () => undefined,
    notify: (event) => options.notify({ ...event, atMs: world.nowMs }),
    notifyManagedCluster: options.notifyManagedCluster,
  };
  return world;
}

/** A random stream for the next operation on a resource; it does not depend on other operations. */
export function nextRng(world: AzureState, resource: string, operation: string): Rng {
  const key = `${resource.toLowerCase()}/${operation}`;
  const attempt = (world.attempts.get(key) ?? 0) + 1;
  world.attempts.set(key, attempt);
  return createRng(world.seed, `${key}/${attempt}`);
}

/** How long an operation takes this time. */
export function latencyMs(world: AzureState, operation: string, rng: Rng): number {
  const { latencies } = world.settings;
  if (latencies === "none") return 0;
  const table: Latencies = latencies === "recorded" ? RECORDED : { ...RECORDED, ...latencies };
  const duration = table[operation];
  return duration ? drawMs(duration, rng) : 0;
}

/** The time from which reads see what is created now. */
export function visibleMs(world: AzureState, rng: Rng): number {
  const lag = world.consistencyLag;
  return lag ? world.nowMs + drawMs(lag, rng) : world.nowMs;
}
