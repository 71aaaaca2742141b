import { deepEqual, formatTimestamp, type Frozen, Node } from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Change, type Client, type Found, Informer, type Logger, waiting } from "@capstan/runtime";
import { patchLevelOf } from "@capstan/plan";
import { normalizedId } from "@capstan/azure";
import { isNodeReady, isNodeUsable } from "./availability.ts";

export interface NodesOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  /** Called for each Node that was added, removed, or changed in a way that matters to pools. */
  readonly onChange: (providerIDs: readonly string[]) => void;
}

const BY_PROVIDER_ID = "provider-id";
const BY_AGENT_POOL = "agent-pool";
// AKS sets it on its nodes.
const AGENT_POOL_LABEL = "kubernetes.azure.com/agentpool";
// The first list of a large cluster takes seconds; a caller requeues meanwhile.
const PATIENCE_MS = 2_000;
const COME_BACK_MS = 5_000;
// After three minutes without any watch event or bookmark the reflector lists again, so a working server is heard from
// at least that often. The rest allows for some failed lists.
const DEAF_MS = 5 * 60_000;

/** The Nodes have not been confirmed for too long. */
interface Doubt {
  readonly heardAtMs: number;
  readonly message: string;
  /** Whether an event arrived after all. */
  readonly isOver: Promise<boolean>;
}

/** The Nodes of one workload cluster, from one watch for all callers. */
export class WorkloadNodes {
  readonly #informer: Informer<Node>;
  readonly #env: Env;
  /** Counted on every change, because each pool asks on each pass, and a cluster has thousands of Nodes. */
  readonly #notReady = new Set<string>();
  #doubt: Doubt | undefined;

  constructor({ client, env, log, onChange }: NodesOptions, signal: AbortSignal) {
    this.#env = env;
    const onBug = (error: unknown): void => log.error("Bug in a handler of Nodes", { error });
    this.#informer = new Informer<Node>({ client, env, log, onBug, kind: Node, scope: {} });
    this.#informer.store.addIndex(BY_PROVIDER_ID, providerKeysOf);
    this.#informer.store.addIndex(BY_AGENT_POOL, ({ metadata }) => {
      const pool = metadata.labels?.[AGENT_POOL_LABEL];
      return pool === undefined ? [] : [pool];
    });
    this.#informer.addHandler((change) => {
      const { name } = change.object.metadata;
      if (change.type === "deleted" || isNodeReady(change.object)) this.#notReady.delete(name);
      else this.#notReady.add(name);
      const keys = keysIn(change);
      if (keys.length > 0) onChange(keys);
    });
    void this.#informer.run(signal);
  }

  /** Throws a Failure while the Nodes have not been listed, or are too old to decide on. */
  async known(): Promise<void> {
    if (!this.#isDeaf()) return;
    const { heardAtMs } = this.#informer;
    if (this.#doubt?.heardAtMs !== heardAtMs) this.#doubt = this.#doubtSince(heardAtMs);
    const { isOver, message } = this.#doubt;
    if (!(await isOver)) throw waiting("WaitingForNodes", message, COME_BACK_MS);
  }

  #isDeaf(): boolean {
    return this.#env.clock.monotonic() - this.#informer.heardAtMs > DEAF_MS;
  }

  /** A process that was suspended has heard nothing either, but hears at once: all callers share one short wait for that. */
  #doubtSince(heardAtMs: number): Doubt {
    const { clock } = this.#env;
    const since = heardAtMs - clock.monotonic() + clock.now();
    const message =
      heardAtMs === -Infinity
        ? "The Nodes of the workload cluster have not been listed yet"
        : `The Nodes of the workload cluster could not be read since ${formatTimestamp(since)}; see the log of the manager`;
    return { heardAtMs, message, isOver: this.#informer.waitUntil(() => !this.#isDeaf(), PATIENCE_MS) };
  }

  /** The number of all Nodes of the cluster, and of those that are not Ready. */
  count(): { readonly all: number; readonly notReady: number } {
    return { all: this.#informer.store.size, notReady: this.#notReady.size };
  }

  notReady(): readonly Frozen<Node>[] {
    return [...this.#notReady].flatMap((name) => this.#informer.store.get(name) ?? []);
  }

  /** The Nodes with this provider id; more than one is a mistake in the cluster. */
  of(providerID: string): readonly Frozen<Node>[] {
    return this.found(providerKey(providerID))?.list ?? [];
  }

  /** The Nodes of an agent pool of AKS. */
  inAgentPool(name: string): readonly Frozen<Node>[] {
    return this.#informer.store.byIndex(BY_AGENT_POOL, name);
  }

  /** The same by the key of the id, for repeated lookups. */
  found(key: string): Found<Node> | undefined {
    return this.#informer.store.found(BY_PROVIDER_ID, key);
  }
}

/** Azure writes the same id in different cases; other ids are case-sensitive. */
export function providerKey(providerID: string): string {
  return providerID.startsWith("azure://") ? normalizedId(providerID) : providerID;
}

function providerKeysOf({ spec }: Frozen<Node>): string[] {
  const { providerID } = spec ?? {};
  return providerID ? [providerKey(providerID)] : [];
}

/** The ids that a change affects. Heartbeats of kubelets affect none. */
export function keysIn(change: Change<Node>): readonly string[] {
  if (change.type !== "updated") return providerKeysOf(change.object);
  if (deepEqual(factsOf(change.previous), factsOf(change.object))) return [];
  return [...new Set([...providerKeysOf(change.previous), ...providerKeysOf(change.object)])];
}

function factsOf(node: Frozen<Node>): unknown {
  const { metadata, spec, status } = node;
  const { conditions = [] } = status ?? {};
  return {
    deleting: metadata.deletionTimestamp !== undefined,
    providerID: spec?.providerID,
    unschedulable: spec?.unschedulable,
    // Only whether the taints allow pods: the control plane adds and removes other taints all the time.
    isUsable: isNodeUsable(node),
    // Messages are excluded, because they may count seconds: "last seen active 3m4s ago".
    conditions: conditions.map((one) => [one.type, one.status]),
    readySince: conditions.find(({ type }) => type === "Ready")?.lastTransitionTime,
    patchLevel: patchLevelOf(node),
  };
}
