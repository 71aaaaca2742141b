/** Programming errors that a pool controller may have, injected from outside: the product contains no hook for them. */
import {
  AzureMachinePoolMachine,
  isJsonObject,
  type KubernetesObject,
  MachinePool,
  Node,
  Secret,
} from "@capstan/api";
import type { HttpRequest, HttpResponse } from "@capstan/env";
import { again, type CacheReader, type Context, next, type Phase, type Reconciler } from "@capstan/runtime";
import type { Controllers, FaultSpec, ManagerConnections, World } from "@capstan/sim";
import type {
  DeletingScope,
  NormalScope as PoolScope,
} from "../../../packages/manager/src/reconcilers/azuremachinepool/scope.ts";
import { DRAINED } from "../../../packages/manager/src/pools/machine-conditions.ts";
import { poolNameOf } from "../../../packages/manager/src/pools/machines-of-pool.ts";
import type { Scope as MachineScope } from "../../../packages/manager/src/reconcilers/azuremachinepoolmachine/scope.ts";
import type { Scope as ConfigScope } from "../../../packages/manager/src/reconcilers/kubeadmconfig/scope.ts";
import { planPool } from "../../../packages/plan/src/rollout/scale-set/plan.ts";
import type { PoolView } from "../../../packages/plan/src/rollout/scale-set/view.ts";
import { isNodeReady } from "../../../packages/manager/src/workload/availability.ts";
import { patch, remove } from "../kit/fleet-world.ts";
import { poolControllers } from "../kit/pool-controllers.ts";
import {
  CLUSTER,
  createPool,
  leaveMarks,
  MARK_TAG,
  NEW_VERSION,
  nodesOf,
  onSet,
  setBody,
  settled,
} from "../kit/pool-world.ts";

/** A bug, the story that shows it, and the invariant that must detect it. */
export interface SeededBug {
  /** The programming error, for the scorecard. */
  readonly mistake: string;
  readonly seed: (
    reconcilers: readonly Reconciler[],
    connections: ManagerConnections,
  ) => readonly Reconciler[];
  /** A changed Azure client. */
  readonly azure?: () => (connections: ManagerConnections) => ManagerConnections["azure"];
  readonly act: (world: World) => Promise<void>;
  readonly faults?: readonly FaultSpec[];
  /** The invariant that must end the run. */
  readonly caughtBy: string;
}

/** The controllers with the bug. */
export function withBug({ seed, azure }: SeededBug): Controllers {
  const connect = azure?.();
  return (connections) =>
    seed(
      poolControllers(connect ? { ...connections, azure: connect(connections) } : connections),
      connections,
    );
}

const VERSION = { spec: { template: { spec: { version: NEW_VERSION } } } };
const asIs: SeededBug["seed"] = (reconcilers) => reconcilers;

function changed(name: string, change: (reconciler: Reconciler) => Reconciler): SeededBug["seed"] {
  return (reconcilers) => reconcilers.map((one) => (one.name === name ? change(one) : one));
}

/** Plans with a changed view. */
function misplanning(viewOf: (view: PoolView, scope: PoolScope) => PoolView): SeededBug["seed"] {
  const phase =
    (original: Phase<unknown>): Phase<unknown> =>
    async (scope) => {
      const outcome = await original(scope);
      const pool = scope as PoolScope;
      if (pool.observation) pool.planned = planPool(viewOf(pool.observation.view, pool));
      return outcome;
    };
  return changed("azuremachinepool", (reconciler) => ({
    ...reconciler,
    normal: reconciler.normal.map((one) => (one.name === "plan" ? phase(one) : one)),
  }));
}

const roll = async (world: World): Promise<void> => {
  await createPool(world, "mp", { strategy: { maxSurge: 1, maxUnavailable: 1 } });
  await settled(world);
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
};

const createInPlace = async (world: World): Promise<void> => {
  const strategy = { maxSurge: 0, maxUnavailable: 1, instanceUpdate: "InPlace" } as const;
  await createPool(world, "mp", { replicas: 2, strategy });
  await settled(world);
};

const rollInPlace = async (world: World): Promise<void> => {
  await createInPlace(world);
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
};

/** The same, with labels, annotations, taints and tags of users on everything. */
const rollMarked = async (world: World): Promise<void> => {
  await createInPlace(world);
  await leaveMarks(world, "mp");
  await settled(world);
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
};

/** A user cordons a machine, so that only two of three work, and no other may be disrupted. */
const rollWithCordon = async (world: World): Promise<void> => {
  await createPool(world, "mp", { strategy: { maxSurge: 0, maxUnavailable: 1 } });
  await settled(world);
  const node = (await nodesOf(world)).at(-1);
  const workload = world.workload(CLUSTER);
  if (!node || !workload) throw new Error("there are Nodes");
  const body = { spec: { unschedulable: true } };
  await world.run(workload.patch(Node, node.metadata, { type: "merge", body }));
  await patch(world, MachinePool, "mp", VERSION);
  await world.advance(30 * 60_000);
};

const twoPools = async (world: World): Promise<void> => {
  await createPool(world, "mp-10", { replicas: 2 });
  await settled(world);
  await createPool(world, "mp-1", { replicas: 1 });
  await settled(world);
  await patch(world, MachinePool, "mp-1", { spec: { replicas: 2 } });
  await settled(world);
};

const deleteOneOfTwo = async (world: World): Promise<void> => {
  await createPool(world, "mp-10", { replicas: 1 });
  await createPool(world, "mp-1", { replicas: 1 });
  await settled(world);
  await remove(world, MachinePool, "mp-1");
  await settled(world);
};

/** A Node reports NotReady, and stays so. */
async function sicken(world: World): Promise<void> {
  const node = (await nodesOf(world)).at(-1);
  const workload = world.workload(CLUSTER);
  if (!node || !workload) throw new Error("there are Nodes");
  const conditions = (node.status?.conditions ?? []).map((one) =>
    one.type === "Ready" ? { ...one, status: "False", reason: "KubeletNotReady" } : one,
  );
  const body = { status: { conditions } };
  await world.run(workload.patch(Node, node.metadata, { type: "merge", subresource: "status", body }));
}

const fallIll = async (world: World): Promise<void> => {
  await createPool(world, "mp");
  await settled(world);
  await sicken(world);
  await settled(world);
};

/** A machine is lost, and its loss is known, before the rollout starts. */
const rollAfterLoss = async (world: World): Promise<void> => {
  await createPool(world, "mp", { strategy: { maxSurge: 0, maxUnavailable: 1 } });
  await settled(world);
  await sicken(world);
  await world.advance(40_000);
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
};

/** Counts a loss only after it has lasted for a minute. */
function belated(): (view: PoolView, scope: PoolScope) => PoolView {
  const losses = new WeakMap<object, Map<string, number>>();
  return (view, { poolCache }) => {
    const lostMs = losses.get(poolCache) ?? new Map<string, number>();
    losses.set(poolCache, lostMs);
    const believed = view.machines.map((machine) => {
      const { name = "", isAvailable } = machine;
      if (isAvailable) lostMs.set(name, Infinity);
      else if (lostMs.get(name) === Infinity) lostMs.set(name, view.nowMs);
      const isYoung = view.nowMs - (lostMs.get(name) ?? 0) < 60_000;
      return isYoung ? { ...machine, isAvailable: true } : machine;
    });
    return { ...view, machines: believed };
  };
}

/** Changes the status after the pass has reported it. */
function misreporting(name: string, twist: (scope: unknown) => void): SeededBug["seed"] {
  return changed(name, (reconciler) => ({
    ...reconciler,
    status: (scope, pass) => {
      reconciler.status?.(scope, pass);
      twist(scope);
    },
  }));
}

/** A write of a scale set that ran when a process crashed is sent again by the next one, without a read. */
function repeating(): (connections: ManagerConnections) => ManagerConnections["azure"] {
  let last: HttpRequest | undefined;
  return ({ azure, start }) => {
    let isRepeated = start === 1;
    return {
      ...azure,
      request: async (request) => {
        if (!isRepeated && last && request.headers["authorization"] !== undefined) {
          isRepeated = true;
          const { signal: _, ...repeated } = last;
          await azure.request({ ...repeated, headers: { ...repeated.headers, ...request.headers } });
        }
        if (request.method === "PUT") last = request;
        return azure.request(request);
      },
    };
  };
}

function doubling(): (connections: ManagerConnections) => ManagerConnections["azure"] {
  return ({ azure }) => ({
    ...azure,
    request: async (request) => {
      if (request.method === "GET" && /virtualMachines[?]/.test(request.path)) await azure.request(request);
      return azure.request(request);
    },
  });
}

const OWNER_TAG = `sigs.k8s.io_cluster-api-provider-azure_cluster_${CLUSTER}`;

/** A user takes a scale set over, and then its pool scales up. */
const growForeign = async (world: World): Promise<void> => {
  await createPool(world, "mp", { replicas: 1 });
  await settled(world);
  await onSet(world, "PATCH", "mp", { tags: { ...tagsOf(setBody(world, "mp")), [OWNER_TAG]: "shared" } });
  await settled(world);
  await patch(world, MachinePool, "mp", { spec: { replicas: 2 } });
  await settled(world);
};

function tagsOf(body: object): Record<string, string> {
  return { ...(body as { tags?: Record<string, string> }).tags };
}

/** Takes every scale set with the right name for its own. */
function grasping(): (connections: ManagerConnections) => ManagerConnections["azure"] {
  return ({ azure }) => ({
    ...azure,
    request: async (request) => {
      const response = await azure.request(request);
      const isOfSet = request.method === "GET" && /virtualMachineScaleSets[/]mp[?]/.test(request.path);
      return isOfSet && response.status === 200 ? retold(response, claimed) : response;
    },
  });
}

function claimed(body: object): object {
  return { ...body, tags: { ...tagsOf(body), [OWNER_TAG]: "owned" } };
}

/** An answer with another body. */
function retold(response: HttpResponse, change: (body: object) => object): HttpResponse {
  const body = response.json().then((value) => change(value as object));
  return { ...response, json: () => body, text: () => body.then((value) => JSON.stringify(value)) };
}

const TOKEN = /[a-z0-9]{6}[.][a-z0-9]{16}/;

/** Writes the join token of its machines to a scale set. */
function labelling(): (connections: ManagerConnections) => ManagerConnections["azure"] {
  return rewriting((body) => {
    const [token = ""] = TOKEN.exec(textOf(customDataIn(body))) ?? [];
    return { ...body, tags: { ...tagsOf(body), token } };
  });
}

/** Changes the body of scale set writes. */
function rewriting(
  change: (body: object) => object,
): (connections: ManagerConnections) => ManagerConnections["azure"] {
  return ({ azure }) => ({
    ...azure,
    request: (request) => {
      const isOfSet = request.method === "PUT" && /virtualMachineScaleSets[/]mp[?]/.test(request.path);
      if (!isOfSet) return azure.request(request);
      return azure.request({ ...request, body: JSON.stringify(change(bodyIn(request))) });
    },
  });
}

function bodyIn({ body }: HttpRequest): object {
  return (typeof body === "string" ? JSON.parse(body) : body) as object;
}

function customDataIn(body: unknown): string {
  const path = ["properties", "virtualMachineProfile", "osProfile", "customData"];
  const found = path.reduce((value, name) => (isJsonObject(value) ? value[name] : undefined), body);
  return typeof found === "string" ? found : "";
}

function textOf(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}

/** A pool in deletion deletes the scale set of another pool. */
function mistaken(phase: Phase<unknown>): Phase<unknown> {
  return (scope) => {
    const { pool, azureTarget } = scope as DeletingScope;
    if (!azureTarget || pool.metadata.name !== "mp-1") return phase(scope);
    const wrong = {
      ...azureTarget,
      scaleSetID: `${azureTarget.scaleSetID}0`,
      poolKey: `${azureTarget.poolKey}0`,
    };
    return phase({ ...(scope as DeletingScope), azureTarget: wrong });
  };
}

/** Finds machines by the prefix of the pool's name. */
function byPrefix({ cache }: Context<KubernetesObject>): CacheReader {
  const list: CacheReader["list"] = (kind, query) => {
    if (kind.kind !== AzureMachinePoolMachine.kind || !query) return cache.list(kind, query);
    const [, name = ""] = ("value" in query ? query.value : "").split("/");
    return cache
      .list(kind)
      .filter((one) => poolNameOf(one as unknown as AzureMachinePoolMachine).startsWith(name));
  };
  return { get: cache.get.bind(cache), list };
}

/** The bugs by name. */
export const SEEDED_BUGS: Readonly<Record<string, SeededBug>> = {
  "budget off by one": {
    mistake: "one more machine than maxUnavailable is taken away",
    seed: misplanning((view) => ({ ...view, maxUnavailable: Number(view.maxUnavailable) + 1 })),
    act: roll,
    caughtBy: "keeps-availability",
  },
  "drain skipped": {
    mistake: "a machine reports that it is drained although it is not",
    seed: changed("azuremachinepoolmachine", (reconciler) => ({
      ...reconciler,
      deleting: (reconciler.deleting ?? []).map((phase, index) => (index === 2 ? undrained(phase) : phase)),
    })),
    act: roll,
    caughtBy: "drains-first",
  },
  "second PUT after a restart": {
    mistake: "the write that ran when the process crashed is sent again, without a read",
    seed: asIs,
    azure: repeating,
    faults: [
      {
        fault: "crash-after-write",
        when: { trigger: { verb: "PUT", resource: "virtualMachineScaleSets", nth: 1 } },
      },
    ],
    act: roll,
    caughtBy: "keeps-within-surge",
  },
  "prefix match": {
    mistake: "pool mp-1 takes the machines of mp-10 for its own",
    seed: changed("azuremachinepool", (reconciler) => ({
      ...reconciler,
      scope: (context) => reconciler.scope({ ...context, cache: byPrefix(context) }),
    })),
    act: twoPools,
    caughtBy: "touches-its-own",
  },
  "the neighbour's scale set": {
    mistake: "pool mp-1 deletes the scale set of mp-10 when it is deleted",
    seed: changed("azuremachinepool", (reconciler) => ({
      ...reconciler,
      deleting: (reconciler.deleting ?? []).map((one) =>
        one.name === "deleteScaleSet" ? mistaken(one) : one,
      ),
    })),
    act: deleteOneOfTwo,
    caughtBy: "touches-its-own",
  },
  "picks not written down": {
    mistake: "machines are updated although their pick is not in the status",
    seed: changed("azuremachinepool", (reconciler) => ({
      ...reconciler,
      scope: (context) => reconciler.scope({ ...context, persistStatus: () => Promise.resolve() }),
    })),
    act: rollInPlace,
    caughtBy: "touches-its-own",
  },
  "a name taken for a tag": {
    mistake: "a scale set with the right name counts as the pool's own, with any tags",
    seed: asIs,
    azure: grasping,
    act: growForeign,
    caughtBy: "touches-its-own",
  },
  "a token told": {
    mistake: "an event contains the join token of machines",
    seed: changed("kubeadmconfig", (reconciler) => ({
      ...reconciler,
      normal: [...reconciler.normal, indiscreet],
    })),
    act: (world) => createPool(world, "mp"),
    caughtBy: "keeps-secrets",
  },
  "bootstrap data in the log": {
    mistake: "the bootstrap data of machines is logged in base64",
    seed: changed("kubeadmconfig", (reconciler) => ({
      ...reconciler,
      normal: [...reconciler.normal, verbose],
    })),
    act: (world) => createPool(world, "mp"),
    caughtBy: "keeps-secrets",
  },
  "a tag for the token": {
    mistake: "a scale set has the join token of its machines as a tag",
    seed: asIs,
    azure: labelling,
    act: (world) => createPool(world, "mp"),
    caughtBy: "keeps-secrets",
  },
  "labels of others dropped": {
    mistake: "a pass writes its own labels and drops all others",
    seed: changed("azuremachinepool", (reconciler) => ({
      ...reconciler,
      normal: [...reconciler.normal, forgetful],
    })),
    act: rollMarked,
    caughtBy: "takes-nothing-away",
  },
  "tags of others dropped": {
    mistake: "a scale set is written with the desired tags and without all others",
    seed: asIs,
    azure: () => rewriting(untagged),
    act: rollMarked,
    caughtBy: "takes-nothing-away",
  },
  "Nodes come back bare": {
    mistake: "the users' fields of a Node are not restored after an update in place",
    seed: changed("azuremachinepoolmachine", (reconciler) => ({
      ...reconciler,
      normal: reconciler.normal.map((one) => (one.name === "updateInPlace" ? barely(one) : one)),
    })),
    act: rollMarked,
    caughtBy: "takes-nothing-away",
  },
  "hot loop": {
    mistake: "each pass writes the time to the status and requeues at once",
    seed: changed("azuremachinepool", (reconciler) => ({
      ...reconciler,
      normal: [...reconciler.normal, restless],
    })),
    act: roll,
    caughtBy: "no-hot-loop",
  },
  "Ready counted while cordoned": {
    mistake: "a machine whose Node is Ready counts as available, although it takes no pods",
    seed: misplanning((view, { observation }) => ({
      ...view,
      machines: view.machines.map((machine, index) => {
        const node = observation?.machines[index]?.node;
        return node && isNodeReady(node) ? { ...machine, isAvailable: true } : machine;
      }),
    })),
    act: rollWithCordon,
    caughtBy: "keeps-availability",
  },
  "a loss noticed a minute late": {
    mistake: "the loss of a machine counts only after a minute",
    seed: misplanning(belated()),
    act: rollAfterLoss,
    caughtBy: "keeps-availability",
  },
  "every machine ready": {
    mistake: "a machine reports ready without regard to its Node",
    seed: misreporting("azuremachinepoolmachine", (scope) => {
      const { machine } = scope as MachineScope;
      machine.status = { ...machine.status, ready: true };
    }),
    act: fallIll,
    caughtBy: "tells-the-truth",
  },
  "one machine too many told": {
    mistake: "a pool reports one more machine than it has",
    seed: misreporting("azuremachinepool", (scope) => {
      const { pool, observation } = scope as PoolScope;
      if (observation) pool.status = { ...pool.status, replicas: observation.instances.length + 1 };
    }),
    act: (world) => createPool(world, "mp"),
    caughtBy: "tells-the-truth",
  },
  "an event in each pass": {
    mistake: "a pool records an event in each pass",
    seed: changed("azuremachinepool", (reconciler) => ({
      ...reconciler,
      normal: [...reconciler.normal, talkative],
    })),
    act: (world) => createPool(world, "mp"),
    caughtBy: "stands-still",
  },
  "every list twice": {
    mistake: "two callers list the instances without sharing the result",
    seed: asIs,
    azure: doubling,
    act: (world) => createPool(world, "mp"),
    caughtBy: "stands-still",
  },
};

function undrained(phase: Phase<unknown>): Phase<unknown> {
  return (scope) => {
    const { context, machine } = scope as MachineScope;
    const isSaid = machine.status?.conditions?.some(({ type }) => type === DRAINED) ?? false;
    if (isSaid) return phase(scope);
    context.setCondition({ type: DRAINED, status: "True", reason: "Drained" });
    return next;
  };
}

function forgetful(scope: unknown): typeof next {
  const { metadata } = (scope as PoolScope).pool;
  const kept = Object.entries(metadata.labels ?? {}).filter(([name]) => name.includes("x-k8s.io/"));
  metadata.labels = Object.fromEntries(kept);
  return next;
}

function untagged(body: object): object {
  const { [MARK_TAG]: _, ...tags } = tagsOf(body);
  return { ...body, tags };
}

function barely(phase: Phase<unknown>): Phase<unknown> {
  return async (scope) => {
    const outcome = await phase(scope);
    const { machine } = scope as MachineScope;
    const { labels: _, annotations: __, taints: ___, ...rest } = machine.status?.instanceUpdate ?? {};
    if (machine.status?.instanceUpdate) machine.status = { ...machine.status, instanceUpdate: rest as never };
    return outcome;
  };
}

/** The bootstrap data of machines, in base64. */
async function bootstrapData(scope: unknown): Promise<string> {
  const { context, config } = scope as ConfigScope;
  const { name, namespace } = config.metadata;
  const place = { name, ...(namespace !== undefined && { namespace }) };
  return (await context.client.find(Secret, place))?.data?.["value"] ?? "";
}

async function indiscreet(scope: unknown): Promise<typeof next> {
  const [token] = TOKEN.exec(textOf(await bootstrapData(scope))) ?? [];
  const message = `Machines join with ${token}`;
  (scope as ConfigScope).context.event({ type: "Normal", reason: "TokenMade", message });
  return next;
}

async function verbose(scope: unknown): Promise<typeof next> {
  (scope as ConfigScope).context.log.debug("Bootstrap data made", { data: await bootstrapData(scope) });
  return next;
}

async function restless(scope: unknown): Promise<ReturnType<typeof again>> {
  const { context, pool } = scope as PoolScope;
  pool.status = { ...pool.status, failureMessage: `looked at ${context.env.clock.monotonic()}` };
  await context.persistStatus();
  return again(100, "LookingAgain");
}

function talkative(scope: unknown): Promise<ReturnType<typeof again>> {
  const { context } = scope as PoolScope;
  context.event({ type: "Normal", reason: "AllIsWell", message: "All machines are as they are wanted" });
  return Promise.resolve(again(10 * 60_000, "LookingAgain"));
}
