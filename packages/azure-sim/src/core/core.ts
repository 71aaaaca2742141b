import { createRng, uuidFrom } from "@capstan/env";
import type { Answer } from "../arm/answer.ts";
import { Tokens } from "../entra/tokens.ts";
import { entraAnswer } from "../entra/endpoints.ts";
import { type MachineDisk, machineDisk } from "../disks/machine-disk.ts";
import { Journal } from "../journal/journal.ts";
import type { Machine } from "../machines/machine.ts";
import type { MachineListener } from "../machines/machine-events.ts";
import { balancedPorts } from "../resources/load-balancers/balanced-ports.ts";
import { ALL_EFFECTS, ALL_TYPES } from "../resources/all-types.ts";
import type { ManagedClusterListener } from "../resources/managed-clusters/managed-cluster-event.ts";
import { CLUSTER_TYPE, propertiesOf } from "../resources/managed-clusters/cluster-state.ts";
import { powerOffFromInside } from "../resources/virtual-machines/work.ts";
import type { RunInGuest } from "../resources/run-commands/run-commands.ts";
import { textAt } from "../json.ts";
import type { AzureSettings } from "../settings.ts";
import type { SimRequest } from "./call.ts";
import { FrontDoor } from "./front-door.ts";
import { Router } from "./route.ts";
import { createWorld, type AzureState } from "./azure-state.ts";

/** The simulated cloud itself: no clock, no promises, no I/O. The caller passes the time. */
export interface Core {
  readonly world: AzureState;
  readonly journal: Journal;
  readonly tokens: Tokens;
  /** Answers a request after all changes that are due by then. */
  handle(request: SimRequest, nowMs: number): Answer;
  /** Carries out all changes that are due by then. */
  advance(nowMs: number): void;
  /** Whether its time stands still: requests are answered, and no scheduled change happens. */
  readonly isHeld: boolean;
  /** Lets its time pass. */
  release(): void;
  /** When the next scheduled change is due. */
  nextDueMs(): number | undefined;
  /** A machine from the inside, by its ARM id in any case. */
  machine(id: string): Machine | undefined;
  /** The OS disk of a machine, by its ARM id in any case. */
  disk(id: string): MachineDisk | undefined;
  /** The frontend ports whose load balancers send requests to a machine outside scale sets, by its ARM id. */
  balancedPorts(id: string): readonly number[];
  /** Calls the listener for each change of a machine, until the returned function is called. */
  onMachine(listener: MachineListener): () => void;
  /** Lets the guests run the scripts of run commands; without guests, scripts have no effect. */
  onCommand(run: RunInGuest): void;
  /** The guest of a machine outside scale sets powers it off, by its ARM id in lower case. */
  powerOffFromInside(machineId: string): void;
  /** The managed clusters that exist. */
  managedClusters(): readonly ManagedClusterView[];
  /** Calls the listener for each managed cluster that is created or deleted, until the returned function is called. */
  onManagedCluster(listener: ManagedClusterListener): () => void;
  /** Says which kubeconfigs AKS hands out; without it they lead to a server that does not exist. */
  onKubeconfig(kubeconfigOf: (id: string) => string | undefined): void;
}

/** A managed cluster, for the servers that stand in for its control plane. */
export interface ManagedClusterView {
  readonly id: string;
  readonly name: string;
  /** Different for a cluster that was deleted and created again. */
  readonly uid: string;
  /** Host and port of its API server. */
  readonly endpoint: string;
}

/** Creates an empty cloud. */
export function createCore(options: {
  readonly seed: string;
  readonly settings: AzureSettings;
  readonly isStored: boolean;
  readonly isHeld?: boolean;
}): Core {
  const { seed, settings, isStored } = options;
  let isHeld = options.isHeld ?? false;
  const listeners = new Set<MachineListener>();
  const clusterListeners = new Set<ManagedClusterListener>();
  const world = createWorld({
    seed,
    settings,
    isStored,
    notifyManagedCluster: (event) => {
      for (const listener of clusterListeners) listener(event);
    },
    notify: (event) => {
      for (const listener of listeners) listener(event);
    },
  });
  for (const [name, effect] of ALL_EFFECTS) world.effects.set(name, effect);
  for (const { machines } of ALL_TYPES) if (machines) world.machines.add(machines(world));
  const journal = new Journal(isStored);
  const tokens = new Tokens(seed, settings.principals);
  const door = new FrontDoor({ world, tokens, journal, router: new Router(ALL_TYPES) });
  const advance = (nowMs: number): void => {
    if (isHeld) return;
    for (let due = world.agenda.takeDue(nowMs); due; due = world.agenda.takeDue(nowMs)) {
      world.nowMs = Math.max(world.nowMs, due.dueMs);
      const effect = world.effects.get(due.effect);
      if (!effect) throw new Error(`the agenda has the unknown effect ${due.effect}`);
      effect(world, due.args);
    }
    // A clock that goes back is the caller's error; the cloud's time stands still until that clock has caught up.
    world.nowMs = Math.max(world.nowMs, nowMs);
  };
  return {
    world,
    journal,
    tokens,
    advance,
    get isHeld() {
      return isHeld;
    },
    release: () => void (isHeld = false),
    handle: (request, nowMs) => {
      advance(nowMs);
      return (
        entraAnswer(request, { tokens, world, callerMs: request.callerMs ?? world.nowMs }) ??
        withRequestIds(door.answer(request), request, { world, journal })
      );
    },
    nextDueMs: () => world.agenda.nextDueMs,
    machine: (id) => world.machines.machine(id),
    disk: (id) => machineDisk(world, id),
    balancedPorts: (id) => balancedPorts(world, id),
    onMachine: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onCommand: (run) => void (world.runInGuest = run),
    powerOffFromInside: (machineId) => powerOffFromInside(world, machineId),
    managedClusters: () => managedClustersIn(world),
    onManagedCluster: (listener) => {
      clusterListeners.add(listener);
      return () => void clusterListeners.delete(listener);
    },
    onKubeconfig: (kubeconfigOf) => void (world.kubeconfigOf = kubeconfigOf),
  };
}

function managedClustersIn(world: AzureState): readonly ManagedClusterView[] {
  return world.settings.subscriptions
    .flatMap((subscription) => [...world.resources.in(`/subscriptions/${subscription}`, CLUSTER_TYPE)])
    .map((cluster) => {
      const properties = propertiesOf(cluster);
      const { id, name } = cluster;
      const host = textAt(properties, "fqdn") ?? textAt(properties, "privateFQDN") ?? "";
      return {
        id,
        name,
        uid: textAt(properties, "resourceUID") ?? "",
        endpoint: `${host}:443`.toLowerCase(),
      };
    });
}

/** The headers by which Azure support finds a request. */
function withRequestIds(
  answer: Answer,
  request: SimRequest,
  { world, journal }: { world: AzureState; journal: Journal },
): Answer {
  const rng = createRng(world.seed, `request/${journal.count}`);
  const requestId = uuidFrom(rng);
  const correlationId = request.headers["x-ms-correlation-request-id"] ?? uuidFrom(rng);
  const clientId = request.headers["x-ms-client-request-id"];
  const wantsClientId = request.headers["x-ms-return-client-request-id"] === "true" && clientId !== undefined;
  return {
    ...answer,
    headers: {
      "cache-control": "no-cache",
      pragma: "no-cache",
      "x-ms-request-id": requestId,
      "x-ms-correlation-request-id": correlationId,
      "x-ms-routing-request-id": `SIMULATED:${new Date(world.nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "")}:${requestId}`,
      date: new Date(world.nowMs).toUTCString(),
      ...(wantsClientId && { "x-ms-client-request-id": clientId }),
      ...answer.headers,
    },
  };
}
