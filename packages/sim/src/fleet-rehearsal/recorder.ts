import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  controllerOf,
  type CustomKind,
  type Frozen,
  type KubernetesObject,
  Machine,
  MachinePool,
  Pod,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import { PodDisruptionBudget, type StoredEvent } from "@capstan/apiserver";
import type { MachineEvent } from "@capstan/azure-sim";
import { completeSettings } from "@capstan/azure-sim";
import { machineIdIn, machineLabel } from "../machine-id.ts";
import type { ArmCall, TraceEvent } from "../trace/trace-event.ts";
import type { World } from "../world/world.ts";
import { type ConditionText, groupKey, groupOfMachine } from "./groups.ts";
import type { EvictionRecord, MachineHistory, PodEnd, RunRecord } from "./record.ts";

interface KnownMachine {
  group: string | undefined;
  name: string;
  cores: number;
  createdMs: number;
  goneMs: number | undefined;
  readonly availability: [number, boolean][];
  readonly updatedMs: number[];
  isUpdating: boolean;
  versionBefore: string | undefined;
}

const REFUSED = 429;
const POOL = `${MachinePool.group}/${MachinePool.plural}`;
const RESOURCES = new Map<string, CustomKind>(
  [Machine, AzureMachinePoolMachine, MachinePool].map((kind): [string, CustomKind] => [
    `${kind.group}/${kind.plural}`,
    kind,
  ]),
);

interface Reason {
  /** The condition that is False while a machine of the group is out of date. */
  readonly type: string;
  readonly groupOf: (object: Frozen<KubernetesObject>) => string;
}

const REASONS: ReadonlyMap<string, Reason> = new Map([
  [
    `${Machine.group}/${Machine.plural}`,
    { type: "UpToDate", groupOf: (machine) => groupOfMachine(machine as Frozen<Machine>) },
  ],
  [
    `${AzureMachinePool.group}/${AzureMachinePool.plural}`,
    {
      type: "ScaleSetModelUpdated",
      groupOf: (pool) =>
        groupKey("MachinePool", { ...pool.metadata, name: controllerOf(pool)?.name ?? pool.metadata.name }),
    },
  ],
]);

/** Follows the machines of a world from its start, and the evictions and requests after a change. */
export class FleetRecorder {
  readonly #world: World;
  readonly #cores: ReadonlyMap<string, number>;
  readonly #machines = new Map<string, KnownMachine>();
  readonly #evictions: EvictionRecord[] = [];
  readonly #azure = { requests: 0, writes: 0, throttled: 0 };
  /** Why a group is rolled out, by its key, as its first condition says it. */
  readonly #why = new Map<string, string>();
  #faults = 0;
  #changedMs: number | undefined;
  #lastWorkMs = 0;
  #lastMoveMs = 0;

  constructor(world: World, sizes: RunSizes) {
    this.#world = world;
    this.#cores = new Map(
      completeSettings(sizes).sizes.map(({ name, cores }) => [name.toLowerCase(), cores]),
    );
    world.azure.core.onMachine((event) => this.#machine(event));
    world.truth.onAvailability(({ machineId, isAvailable, atMs }) => {
      this.#known(machineId).availability.push([atMs, isAvailable]);
      this.#lastMoveMs = atMs;
    });
    world.management.storage.follow((resource, event) => this.#stored(resource, event));
    world.trace.onEvent((event) => this.#happened(event));
  }

  /** The change is applied from now on. */
  begin(): void {
    this.#changedMs = this.#nowMs;
    this.#lastWorkMs = this.#nowMs;
    for (const [id, machine] of this.#machines) machine.versionBefore = this.#versionOf(id);
  }

  /** Why a group was rolled out after the change, as its conditions said it first. */
  whyOf(group: string): readonly string[] {
    const why = this.#why.get(group);
    return why === undefined ? [] : [why];
  }

  /** When a machine, a Node, a condition or Azure changed last. */
  get lastWorkMs(): number {
    return this.#lastWorkMs;
  }

  /** When a machine came, went, or began or ceased to be available. Controllers that try again and again do not move it. */
  get lastMoveMs(): number {
    return this.#lastMoveMs;
  }

  /** What has been recorded since the change. */
  end(): Pick<RunRecord, "endMs" | "machines" | "evictions" | "refusedPods" | "azure" | "faults"> {
    const changedMs = this.#changedMs ?? this.#nowMs;
    return {
      endMs: this.#lastWorkMs - changedMs,
      machines: [...this.#machines].flatMap(([id, known]) => this.#recordOf(id, known, changedMs)),
      evictions: this.#evictions.map((one) => ({ ...one, atMs: one.atMs - changedMs })),
      refusedPods: this.#refusedPods(changedMs),
      azure: { ...this.#azure },
      faults: this.#faults,
    };
  }

  get #nowMs(): number {
    return this.#world.scheduler.monotonicMs;
  }

  #known(machineId: string): KnownMachine {
    const known = this.#machines.get(machineId) ?? {
      group: undefined,
      name: machineLabel(machineId),
      cores: 0,
      createdMs: this.#nowMs,
      goneMs: undefined,
      availability: [],
      updatedMs: [],
      isUpdating: false,
      versionBefore: undefined,
    };
    this.#machines.set(machineId, known);
    return known;
  }

  #machine({ kind, machineId }: MachineEvent): void {
    const known = this.#known(machineId);
    this.#lastWorkMs = this.#nowMs;
    this.#lastMoveMs = this.#nowMs;
    // Azure tells of a new machine before it can be asked for its size.
    if (known.cores === 0) known.cores = this.#coresOf(machineId);
    if (kind === "deleted") known.goneMs = this.#nowMs;
    const isUpdate = kind === "reimaged" || kind === "modelApplied";
    if (isUpdate && this.#changedMs !== undefined) known.updatedMs.push(this.#nowMs);
  }

  #coresOf(machineId: string): number {
    const size = this.#world.azure.core.world.machines.machine(machineId)?.size ?? "";
    return this.#cores.get(size.toLowerCase()) ?? 0;
  }

  #versionOf(machineId: string): string | undefined {
    return this.#world.truth.node(machineId)?.node.status?.nodeInfo?.kubeletVersion;
  }

  /** Keeps the first reason why a group is rolled out: of a machine of its own, or of the scale set of its pool. */
  #explained(resource: string, object: Frozen<KubernetesObject>): void {
    const reason = REASONS.get(resource);
    if (reason === undefined || this.#changedMs === undefined) return;
    const key = reason.groupOf(object);
    if (this.#why.has(key)) return;
    const { status } = object as { readonly status?: { readonly conditions?: readonly ConditionText[] } };
    const found = status?.conditions?.find(({ type, status: is }) => type === reason.type && is === "False");
    if (found?.message) this.#why.set(key, found.message);
  }

  #stored(resource: string, { object, line }: StoredEvent): void {
    this.#explained(resource, object);
    const kind = RESOURCES.get(resource);
    if (!kind || line.type === "DELETED") return;
    if (resource === POOL) return this.#poolStored(object as Frozen<MachinePool>);
    const { providerID } = (object as Frozen<Machine>).spec;
    const id = machineIdIn(providerID);
    if (id === undefined) return;
    const known = this.#known(id);
    if (kind === Machine) this.#updatingInPlace(known, object as Frozen<Machine>);
    if (known.group !== undefined) return;
    known.name = object.metadata.name;
    known.group =
      kind === Machine
        ? groupOfMachine(object as Frozen<Machine>)
        : this.#groupOfPoolMachine(object as Frozen<AzureMachinePoolMachine>);
  }

  /** An update in place need not show in Azure's model or the version of the kubelet: another size does not. */
  #updatingInPlace(known: KnownMachine, { status }: Frozen<Machine>): void {
    const isUpdating = status?.phase === "Updating";
    if (isUpdating && !known.isUpdating && this.#changedMs !== undefined) known.updatedMs.push(this.#nowMs);
    known.isUpdating = isUpdating;
  }

  /** Pools without machine objects, as those of AKS, list the machines themselves. */
  #poolStored(pool: Frozen<MachinePool>): void {
    for (const providerID of pool.spec.providerIDList ?? []) {
      const id = machineIdIn(providerID);
      const known = id === undefined ? undefined : this.#machines.get(id);
      if (known) known.group ??= groupKey("MachinePool", pool.metadata);
    }
  }

  #groupOfPoolMachine(machine: Frozen<AzureMachinePoolMachine>): string | undefined {
    const { namespace = "", ownerReferences = [] } = machine.metadata;
    const owner = ownerReferences.find(({ kind }) => kind === AzureMachinePool.kind);
    if (!owner) return undefined;
    const resource = `${AzureMachinePool.group}/${AzureMachinePool.plural}`;
    const pool = this.#world.management.storage.get({ resource, namespace, name: owner.name });
    const machinePool = pool && controllerOf(pool);
    return groupKey("MachinePool", { namespace, name: machinePool?.name ?? owner.name });
  }

  #happened({ atMs, actor, happening }: TraceEvent): void {
    if (this.#changedMs === undefined) return;
    const { kind } = happening;
    if (kind === "node" || kind === "condition") this.#lastWorkMs = atMs;
    else if (kind === "fault") this.#faults++;
    else if (kind === "arm") this.#asked(happening, atMs);
    else if (kind === "write" && happening.subresource === "eviction" && actor.startsWith("manager"))
      this.#evicted(happening, atMs);
  }

  #asked({ method, status }: ArmCall, atMs: number): void {
    const isWrite = method !== "GET" && method !== "HEAD";
    this.#azure.requests++;
    if (status === REFUSED) this.#azure.throttled++;
    if (!isWrite) return;
    this.#azure.writes++;
    this.#lastWorkMs = atMs;
  }

  #evicted({ cluster, namespace = "", name, status }: EvictionWrite, atMs: number): void {
    const isRefused = status === REFUSED;
    if (!isRefused && status >= 400) return;
    const budgets = isRefused ? this.#budgetsOf(cluster, { namespace, name }) : [];
    this.#evictions.push({ atMs, cluster, pod: `${namespace}/${name}`, isRefused, budgets });
  }

  /** The disruption budgets that select a pod. */
  #budgetsOf(cluster: string, { namespace, name }: { namespace: string; name: string }): readonly string[] {
    const storage = this.#world.truth.workload(cluster);
    const pod = storage?.get({ resource: `${Pod.group}/${Pod.plural}`, namespace, name });
    if (!storage || !pod) return [];
    const resource = `${PodDisruptionBudget.group}/${PodDisruptionBudget.plural}`;
    return [...storage.list({ resource, namespace })].flatMap((object) => {
      const { spec } = object as Frozen<PodDisruptionBudget>;
      const isSelected =
        spec?.selector && selectorMatches(selectorOf(spec.selector), pod.metadata.labels ?? {});
      return isSelected ? [`${namespace}/${object.metadata.name}`] : [];
    });
  }

  #refusedPods(changedMs: number): readonly PodEnd[] {
    const refused = this.#evictions.filter(({ isRefused }) => isRefused);
    const byPod = Map.groupBy(refused, ({ cluster, pod }) => `${cluster} ${pod}`);
    return [...byPod.values()].flatMap((these) => {
      const last = these.at(-1);
      if (!last) return [];
      const [namespace = "", name = ""] = last.pod.split("/");
      const storage = this.#world.truth.workload(last.cluster);
      const isThere = storage?.get({ resource: `${Pod.group}/${Pod.plural}`, namespace, name }) !== undefined;
      const { cluster, pod } = last;
      return [{ cluster, pod, ...(!isThere && { goneMs: last.atMs - changedMs }) }];
    });
  }

  #recordOf(id: string, known: KnownMachine, changedMs: number): readonly MachineHistory[] {
    const { group, name, cores, createdMs, goneMs, availability, updatedMs, versionBefore } = known;
    // A machine that was gone before the change has no part in it.
    if (group === undefined || (goneMs !== undefined && goneMs <= changedMs)) return [];
    const versionAfter = this.#versionOf(id);
    return [
      {
        id,
        group,
        name,
        cores,
        createdMs: createdMs - changedMs,
        ...(goneMs !== undefined && { goneMs: goneMs - changedMs }),
        availability: availability.map(([atMs, is]) => [atMs - changedMs, is] as const),
        updatedMs: updatedMs.map((atMs) => atMs - changedMs),
        ...(versionBefore !== undefined && { versionBefore }),
        ...(versionAfter !== undefined && { versionAfter }),
      },
    ];
  }
}

/** The sizes of machines that a simulated Azure has beside its own. */
type RunSizes = Parameters<typeof completeSettings>[0];

interface EvictionWrite {
  readonly cluster: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly status: number;
}
