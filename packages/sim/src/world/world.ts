import { type CustomKind, customKinds, type Features } from "@capstan/api";
import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Azure, type AzureSettings, createAzure } from "@capstan/azure-sim";
import {
  type Env,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  Scheduler,
  TransportError,
  VirtualProcess,
} from "@capstan/env";
import { type Client, createClient, type Logger, silentLogger } from "@capstan/runtime";
import { type ControlPlanes, startControlPlanes } from "../control-planes/control-planes.ts";
import { ALL_FAULTS, EFFECTS, Faults, type FaultSpec } from "../faults/faults.ts";
import type { Reach } from "../faults/reach.ts";
import type { GuestSettings } from "../guests/guest.ts";
import { type Guests, type GuestView, startGuests } from "../guests/guests.ts";
import { EtcdClusters } from "../etcd/etcd-clusters.ts";
import { etcdGateway } from "../etcd/gateway.ts";
import { type ManagedClusters, startManagedClusters } from "../managed-clusters/managed-clusters.ts";
import { machineLabel } from "../machine-id.ts";
import type { Invariant } from "../invariants/invariant.ts";
import { GENERAL_INVARIANTS } from "../invariants/general.ts";
import { Trace } from "../trace/trace.ts";
import { reachedStates } from "../trace/reached-states.ts";
import type { KubeWrite } from "../trace/trace-event.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";
import { actorOf, armCall, type Call, kubeCall, type Way } from "./call.ts";
import { Checks } from "./checks.ts";
import { annotateSomething, type Edit } from "./edit.ts";
import { Links, type Server } from "./link.ts";
import { overheard } from "./overheard.ts";
import type { ControlPlaneKind } from "../control-planes/decide.ts";
import { type Controllers, type EtcdTarget, Managers } from "./managers.ts";
import { Rest } from "./rest.ts";
import { Storm } from "./storm.ts";
import { Truth } from "./truth.ts";
import { WorkloadHost } from "./workload-host.ts";

/** The options of a world. */
export interface WorldOptions {
  /** Seeds all randomness. */
  readonly seed: string;
  /** The controllers under test, created for each start of a manager. */
  readonly controllers: Controllers;
  /** Kinds of control planes that a controller under test makes; for all others the world has a stand-in. */
  readonly yieldTo?: readonly ControlPlaneKind[];
  /** How many managers run; two or more share a Lease. One unless given. */
  readonly managers?: number;
  readonly azure?: Partial<AzureSettings>;
  readonly guests?: Partial<GuestSettings>;
  /** The timing of pods, where it differs from the default. */
  readonly pods?: Partial<PodSettings>;
  /** Which features the admission rules take to be on; the defaults unless given. */
  readonly features?: Features;
  /** Kinds of ours that the management cluster does not serve, until a user creates their CRDs. */
  readonly notInstalled?: readonly CustomKind[];
  /** More servers, by host. One at the endpoint of a workload cluster answers in its place. */
  readonly servers?: Readonly<Record<string, (env: Env) => Handler>>;
  readonly faults?: readonly FaultSpec[];
  /** What a user does when the fault `user-edit` strikes; sets an annotation unless given. */
  readonly edit?: Edit;
  /** Invariants besides those of every world. */
  readonly invariants?: readonly Invariant[];
  /** The log of the managers; discarded unless given. */
  readonly log?: Logger;
}

const MINUTE_MS = 60_000;
const QUIET_MS = 2 * MINUTE_MS;
const MANAGEMENT = "management";
const LEASE = { name: "capstan", namespace: "kube-system" };

/** How long `settle` waits. */
export interface SettleOptions {
  /** A world without work for so much virtual time is at rest. */
  readonly quietMs?: number;
  /** Fails after so much virtual time. */
  readonly limitMs?: number;
}

/** A management cluster, a cloud, its guests and the controllers under test, on one virtual clock. */
export class World {
  readonly seed: string;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly truth: Truth;
  readonly azure: Azure;
  readonly management: ApiServer;
  readonly guests: Guests;
  readonly controlPlanes: ControlPlanes;
  readonly managedClusters: ManagedClusters;
  readonly managers: Managers;
  /** The etcd of control planes that machines run. */
  readonly etcd = new EtcdClusters();
  /** The user's client of the management cluster. */
  readonly user: Client;
  readonly #options: WorldOptions;
  readonly #checks: Checks;
  readonly #faults: Faults;
  readonly #links: Links;
  readonly #host: WorkloadHost;
  readonly #storm: Storm;
  readonly #rest: Rest;
  readonly #user: VirtualProcess;
  readonly #kube: Server;
  readonly #arm: Server;
  readonly #clients = new Map<string, Client>();
  readonly #others = new Map<string, Server>();
  #journalRead = 0;

  constructor(options: WorldOptions) {
    const { seed } = options;
    this.#options = options;
    this.seed = seed;
    this.trace = new Trace(() => this.scheduler);
    this.scheduler = new Scheduler({ seed, onStep: (atMs, label) => this.trace.stepped(atMs, label) });
    this.azure = createAzure({ env: this.#process("azure"), seed, settings: options.azure ?? {} });
    this.truth = new Truth({
      trace: this.trace,
      azure: this.azure,
      etcd: this.etcd,
      nowMs: () => this.scheduler.monotonicMs,
      wallMs: () => this.scheduler.wallMs,
    });
    this.#faults = new Faults(seed);
    this.#checks = new Checks([...GENERAL_INVARIANTS, ...(options.invariants ?? [])], this);
    const network = this.#process("network");
    this.#links = new Links({ trace: this.trace, faults: this.#faults, network, observer: this.#checks });
    this.management = createApiServer({
      env: this.#process("apiserver"),
      kinds: [...builtInKinds, ...customKinds.filter((kind) => !options.notInstalled?.includes(kind))],
      ...(options.features && { features: options.features }),
      // A fleet of thousands of objects that nothing applies to needs no managers of fields.
      fieldOwnership: "applied",
    });
    this.truth.followManagement(this.management.storage);
    this.#kube = this.#kubeServer(MANAGEMENT, this.management.handle);
    const heard = (call: Call): void => this.noteJournal(actorOf(call));
    this.#arm = { name: "azure", handle: this.azure.handle, callOf: armCall, heard, ruled: this.#ruled };
    this.#user = this.#process("user");
    this.user = this.#clientOf(this.#user, this.#kube);
    const guestsProcess = this.#process("guests");
    this.#host = this.#createHost(guestsProcess);
    const { guests, controlPlanes, managedClusters } = this.#startGuests(guestsProcess);
    this.guests = guests;
    this.managedClusters = managedClusters;
    this.controlPlanes = controlPlanes;
    this.managers = this.#createManagers();
    this.#storm = new Storm({
      env: network,
      seed,
      trace: this.trace,
      reach: () => this.#reach(network),
      struck: () => this.noteJournal("operator"),
    });
    this.#rest = new Rest(this);
  }

  /** How many writes the managers have sent so far, without Leases and Events. */
  get testedWrites(): number {
    return this.#checks.writes;
  }

  /** The reached states, and how often: a state that no run reaches is not tested. */
  reached(): ReadonlyMap<string, number> {
    return reachedStates(this.trace.events);
  }

  /** Starts the managers and activates the faults. */
  start(): void {
    const { managers = 1, faults = [] } = this.#options;
    for (let number = 1; number <= managers; number++) this.managers.start(number);
    for (const fault of faults) this.addFault(fault);
  }

  /** Activates a fault. */
  addFault({ fault, when }: FaultSpec): void {
    const effect = EFFECTS[fault];
    if (effect?.on === "moment" && "moments" in when) this.#storm.add(fault, effect, when.moments);
    else if (effect && effect.on !== "moment" && "trigger" in when)
      this.#faults.add(fault, effect, when.trigger);
    else throw new TypeError(`fault ${JSON.stringify(fault)} does not exist, or has another kind of trigger`);
  }

  /** The user's client of a workload cluster; undefined while the cluster does not exist. */
  workload(name: string): Client | undefined {
    const handle = this.#host.handlerOf(name);
    if (!handle) return undefined;
    const known = this.#clients.get(name);
    if (known) return known;
    const client = this.#clientOf(this.#user, this.#kubeServer(name, handle));
    this.#clients.set(name, client);
    return client;
  }

  /** The names of the workload clusters that exist. */
  workloadNames(): readonly string[] {
    return this.#host.names();
  }

  /** Sends a user's request to Azure. */
  async arm(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    const headers = { authorization: `Bearer ${this.azure.issueToken().token}` };
    const request = { method, path, headers, ...(body !== undefined && { body }) };
    return this.run(this.#links.connect(this.#user, this.#arm).request(request));
  }

  /** Sends a user's GET to the server of a URL; to a workload cluster through its load balancer. Rejects if none answers. */
  async fetch(url: string): Promise<HttpResponse> {
    const { pathname: path } = new URL(url);
    const transport = this.#links.connect(this.#user, this.#serverAt(url));
    return this.run(transport.request({ method: "GET", path, headers: {} }));
  }

  /** Advances virtual time until the promise has settled, and returns its result. */
  async run<R>(promise: Promise<R>): Promise<R> {
    // Its servers have ended, so the promise would never be settled.
    if (this.scheduler.isClosed) throw new Error("the world is closed; ask its servers in `endState`");
    let isSettled = false;
    const done = promise.finally(() => {
      isSettled = true;
    });
    // The result is awaited below; without this, a rejection during the run would be unhandled.
    done.catch(() => undefined);
    await this.scheduler.run({ until: () => isSettled });
    return done;
  }

  /** Advances virtual time. */
  async advance(byMs: number): Promise<void> {
    await this.scheduler.advance(byMs);
  }

  /** Runs until a condition holds or the time is over; returns whether it holds. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    await this.scheduler.run({ until: holds, untilMs: this.scheduler.monotonicMs + withinMs });
    return holds();
  }

  /** Runs until no process has worked for a while and no work is pending; throws when the limit is reached. */
  async settle({ quietMs = QUIET_MS, limitMs = 120 * MINUTE_MS }: SettleOptions = {}): Promise<void> {
    const sinceMs = this.scheduler.monotonicMs;
    // Checked at every step, so that Rest sees the end of long operations.
    const isQuiet = (): boolean =>
      this.#rest.isQuiet(quietMs) && this.scheduler.monotonicMs - sinceMs >= quietMs;
    if (await this.until(isQuiet, limitMs)) return this.#checkAtRest();
    throw new NotAtRestError(limitMs, this.#rest.busy() ?? "controllers keep writing");
  }

  /** Runs until the world is at rest, or for so long: under faults it may never be. */
  async rest(limitMs: number): Promise<void> {
    const sinceMs = this.scheduler.monotonicMs;
    const isQuiet = (): boolean =>
      this.scheduler.monotonicMs - sinceMs >= QUIET_MS && this.#rest.isQuiet(QUIET_MS);
    await this.until(isQuiet, limitMs);
  }

  /** Deactivates a fault, or all of them, and undoes effects that do not end by themselves. */
  async heal(fault = ALL_FAULTS): Promise<void> {
    this.#faults.remove(fault);
    await this.run(this.#storm.heal(fault));
  }

  /** Records Azure's new journal entries as requests of this actor. */
  noteJournal(actor: string): void {
    for (const { sequence, method, operation, path, status, code } of this.azure.control.journal(
      this.#journalRead,
    )) {
      this.#journalRead = sequence;
      const happening = { method, operation, path, status, ...(code !== undefined && { code }) };
      this.trace.record(actor, { kind: "arm", ...happening });
    }
  }

  /** Ends every process of the world, so that nothing keeps the world in memory. */
  close(): void {
    this.scheduler.close();
  }

  /** A scheduler step of its own, so that a violation ends the run as usual. */
  async #checkAtRest(): Promise<void> {
    this.scheduler.schedule(0, "checks at rest", () => this.#checks.atRest());
    await this.scheduler.advance(0);
  }

  /** A fault rule for one request, which is carried out before any other. */
  readonly #ruled: NonNullable<Server["ruled"]> = (effect, carryOut) => {
    const { control } = this.azure;
    control.addFault({ id: "one-request", match: {}, effect });
    const answer = carryOut();
    control.removeFault("one-request");
    return answer;
  };

  #process(name: string): VirtualProcess {
    return new VirtualProcess(this.scheduler, name);
  }

  #kubeServer(name: string, handle: Handler): Server {
    const answered = (call: Call, { status }: HttpResponse): void => {
      if (call.isWrite) this.trace.record(actorOf(call), writeOf(call, status));
    };
    return { name, handle, callOf: kubeCall, answered };
  }

  #clientOf(process: VirtualProcess, server: Server): Client {
    const transport = this.#links.connect(process, server);
    return createClient({ transport, env: process, fieldManager: process.name });
  }

  #createHost(guests: VirtualProcess): WorkloadHost {
    return new WorkloadHost({
      scheduler: this.scheduler,
      connect: (name, handle) => this.#links.connect(guests, this.#kubeServer(name, handle)),
      opened: (name, { storage }) => this.truth.followWorkload(name, storage),
    });
  }

  #startGuests(env: VirtualProcess): Pick<World, "guests" | "controlPlanes" | "managedClusters"> {
    const management = this.#links.connect(env, this.#kube);
    const controlPlanes = startControlPlanes({
      env,
      management,
      host: this.#host,
      etcd: this.etcd,
      ...(this.#options.yieldTo && { yieldTo: this.#options.yieldTo }),
      ...(this.#options.pods && { pods: this.#options.pods }),
    });
    const managedClusters = startManagedClusters({
      env,
      azure: this.azure,
      host: this.#host,
      ...(this.#options.pods && { pods: this.#options.pods }),
    });
    const guests = startGuests({
      env,
      azure: this.azure,
      etcd: this.etcd,
      initialize: controlPlanes.initialize,
      clusterAt: (endpoint) => controlPlanes.clusterAt(endpoint) ?? managedClusters.clusterAt(endpoint),
      onFailure: (guest) => this.#noteFailure(guest),
      ...(this.#options.guests && { settings: this.#options.guests }),
    });
    for (const clusters of [controlPlanes, managedClusters])
      clusters.onEndpoint((endpoint) => guests.attend(endpoint));
    return { guests, controlPlanes, managedClusters };
  }

  #noteFailure({ machineId, failure }: GuestView): void {
    if (!failure) return;
    this.trace.record("guests", { kind: "guestFailure", machine: machineLabel(machineId), ...failure });
  }

  #createManagers(): Managers {
    const { controllers, managers = 1, log = silentLogger } = this.#options;
    return new Managers({
      scheduler: this.scheduler,
      trace: this.trace,
      controllers,
      log: this.#checks.readsLog ? overheard(log, this.#process("log"), this.#checks) : log,
      lease: managers > 1 ? LEASE : undefined,
      connectionsOf: (manager) => ({
        kube: this.#links.connectTroubled(manager, this.#kube),
        azure: this.#links.connectTroubled(manager, this.#arm),
        azureToken: () => this.azure.issueToken().token,
        connect: (url) => this.#links.connectTroubled(manager, this.#serverAt(url)),
        connectEtcd: (target) => this.#links.connectTroubled(manager, this.#etcdServer(target)),
      }),
    });
  }

  /** The server of a URL: one of this world's own servers, or a workload cluster. */
  #serverAt(url: string): Server {
    const host = new URL(url).host;
    const create = this.#options.servers?.[host];
    if (create) return this.#otherServer(host, create);
    const name = this.#host.nameAt(url) ?? this.controlPlanes.nameAt(host);
    if (name === undefined) return { name: host, handle: refused, callOf: plainCall };
    // The cluster may start later than the connection is opened.
    return this.#kubeServer(name, (request) => (this.#host.handlerOf(name) ?? refused)(request));
  }

  #otherServer(host: string, create: (env: Env) => Handler): Server {
    const server = this.#others.get(host) ?? {
      name: host,
      handle: create(this.#process(host)),
      callOf: plainCall,
    };
    this.#others.set(host, server);
    return server;
  }

  /** A member of etcd, on the way through the API server that a port-forward takes. */
  #etcdServer({ endpoint, nodeName }: EtcdTarget): Server {
    const etcd = this.etcd.at(endpoint);
    const gateway = etcdGateway({ etcd, nodeName });
    const handle: Handler = (request) => (etcd.isServing() ? gateway(request) : refused());
    return { name: `etcd-${nodeName}`, handle, callOf: etcdCall };
  }

  #reach(process: VirtualProcess): Reach {
    const names = this.#host.names();
    const clients = names.map((name): [string, Client] => {
      const handle = this.#host.handlerOf(name) ?? refused;
      return [name, this.#clientOf(process, this.#kubeServer(name, handle))];
    });
    return {
      azure: this.azure,
      guests: this.guests,
      managers: () => this.managers.running().map((manager) => manager.process),
      management: this.#clientOf(process, this.#kube),
      workloads: new Map(clients),
      edit: (rng) => (this.#options.edit ?? annotateSomething)(this.user, rng),
      later: (afterMs, act) =>
        void process.clock.timer(afterMs, () => {
          // A Node that is gone by then needs no healing.
          act().catch(() => undefined);
        }),
    };
  }
}

/** Creates a world in which everything but the managers runs; `start` starts those. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const world = new World(options);
  await world.run(Promise.all([world.controlPlanes.ready, world.managedClusters.ready]));
  return world;
}

/** A world that does not come to rest. */
export class NotAtRestError extends Error {
  override readonly name = "NotAtRestError";
  constructor(limitMs: number, why: string) {
    super(`not at rest after ${limitMs / MINUTE_MS} virtual minutes: ${why}`);
  }
}

function writeOf(call: Call, status: number): KubeWrite {
  const { server: cluster, verb, resource, namespace, name, subresource } = call;
  return {
    kind: "write",
    cluster,
    verb: verb as KubeWrite["verb"],
    resource,
    name,
    status,
    namespace,
    subresource,
  };
}

/** A request to the gRPC gateway of etcd, where every request is a POST. */
function etcdCall(request: HttpRequest, way: Way): Call {
  return { ...plainCall(request, way), isWrite: /\/(remove|transfer-leadership)$/.test(request.path) };
}

/** A plain HTTP request. One to an updater is about the machine in its body. */
function plainCall({ method, path, body }: HttpRequest, way: Way): Call {
  const { machine } = (body ?? {}) as { readonly machine?: { readonly name?: string } };
  return {
    ...way,
    api: "other",
    verb: method,
    resource: "",
    name: machine?.name === undefined ? path : `${path} ${machine.name}`,
    isWrite: method !== "GET" && !path.endsWith("/discovery"),
  };
}

function refused(): Promise<never> {
  return Promise.reject(new TransportError("refused", "no server listens at this address"));
}
