import { deepEqual, type Frozen, Node } from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Change, type Client, Informer, type Logger, waiting } from "@capstan/runtime";
import { isNodeReady } from "./availability.ts";
import { within } from "./within.ts";

/** What following Nodes takes. */
export interface NodesOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  /** Is told of each Node that came, went, or changed in a way that matters to pools. */
  readonly onChange: (providerIDs: readonly string[]) => void;
}

const BY_PROVIDER_ID = "provider-id";
// The first list of a large cluster takes seconds; whoever asks comes back for it.
const PATIENCE_MS = 2_000;
const COME_BACK_MS = 5_000;

/** The Nodes of one workload cluster, followed by one watch whoever asks. */
export class WorkloadNodes {
  readonly #informer: Informer<Node>;
  readonly #env: Env;
  /** Counted as they change: a pool asks on each pass, and a cluster has thousands. */
  readonly #notReady = new Set<string>();

  constructor({ client, env, log, onChange }: NodesOptions, signal: AbortSignal) {
    this.#env = env;
    const onBug = (error: unknown): void => log.error("Bug in a handler of Nodes", { error });
    this.#informer = new Informer<Node>({ client, env, log, onBug, kind: Node, scope: {} });
    this.#informer.store.addIndex(BY_PROVIDER_ID, providerKeysOf);
    this.#informer.addHandler((change) => {
      const { name } = change.object.metadata;
      if (change.type === "deleted" || isNodeReady(change.object)) this.#notReady.delete(name);
      else this.#notReady.add(name);
      const keys = keysIn(change);
      if (keys.length > 0) onChange(keys);
    });
    void this.#informer.run(signal);
  }

  /** Waits a little for the first list; throws a Failure when it does not come. */
  async listed(): Promise<void> {
    if (this.#informer.version !== undefined) return;
    const isListed = await within(this.#env.clock, this.#informer.synced, PATIENCE_MS);
    if (!isListed) {
      throw waiting(
        "WaitingForNodes",
        "The Nodes of the workload cluster have not been listed yet",
        COME_BACK_MS,
      );
    }
  }

  /** How many Nodes the cluster has, whoever they belong to, and how many of them are not Ready. */
  count(): { readonly all: number; readonly notReady: number } {
    return { all: this.#informer.store.size, notReady: this.#notReady.size };
  }

  /** The Nodes that say they are this machine; more than one is somebody's mistake. */
  of(providerID: string): readonly Frozen<Node>[] {
    return this.#informer.store.byIndex(BY_PROVIDER_ID, providerKey(providerID));
  }
}

/** Azure writes the same id in different cases; elsewhere case counts. */
export function providerKey(providerID: string): string {
  return providerID.startsWith("azure://") ? providerID.toLowerCase() : providerID;
}

function providerKeysOf({ spec }: Frozen<Node>): string[] {
  const { providerID } = spec ?? {};
  return providerID ? [providerKey(providerID)] : [];
}

/** The ids that a change concerns. Kubelets write every few minutes that nothing has changed: that concerns nobody. */
function keysIn(change: Change<Node>): readonly string[] {
  if (change.type !== "updated") return providerKeysOf(change.object);
  if (deepEqual(factsOf(change.previous), factsOf(change.object))) return [];
  return [...new Set([...providerKeysOf(change.previous), ...providerKeysOf(change.object)])];
}

function factsOf({ metadata, spec, status }: Frozen<Node>): unknown {
  const { conditions = [] } = status ?? {};
  return {
    deleting: metadata.deletionTimestamp !== undefined,
    providerID: spec?.providerID,
    unschedulable: spec?.unschedulable,
    taints: spec?.taints,
    // Their messages may count the seconds: "last seen active 3m4s ago".
    conditions: conditions.map((one) => [one.type, one.status]),
    readySince: conditions.find(({ type }) => type === "Ready")?.lastTransitionTime,
    version: status?.nodeInfo?.kubeletVersion,
  };
}
