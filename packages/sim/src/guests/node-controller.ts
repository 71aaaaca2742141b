import { deepEqual, type Frozen, Node, type NodeAddress } from "@capstan/api";
import type { Machine } from "@capstan/azure-sim";
import type { Env, Timer } from "@capstan/env";
import { type Client, Failure, type Informer, WorkQueue } from "@capstan/runtime";
import { taintsByHealth } from "../node-taints.ts";
import { isReady } from "../readiness.ts";
import { type CloudVerdict, decideNode, isOfAzure } from "./cloud-provider.ts";
import { CLOUD_UNINITIALIZED, reportSilent } from "./kubelet.ts";

/** The options of a node controller. */
export interface NodeControllerOptions {
  readonly env: Env;
  readonly client: Client;
  readonly nodes: Informer<Node>;
  /** How long a Node stays Ready after its kubelet has stopped. */
  readonly gracePeriodMs: number;
  readonly machineOf: (node: Frozen<Node>) => Machine | undefined;
  /** Whether the kubelet of that node runs and reaches the API server. */
  readonly isSpeaking: (nodeName: string) => boolean;
}

// The number of workers of cloud-controller-manager.
const WORKERS = 10;

/**
 * The control plane's and cloud provider's work on Nodes: marks Nodes with silent kubelets, taints those that are not Ready,
 * initializes new ones, and deletes those without a machine.
 *
 * Heartbeats are lazy: they are not written. A kubelet counts as alive as long as it could write one.
 */
export class NodeController {
  readonly #options: NodeControllerOptions;
  readonly #queue: WorkQueue;
  /** Ready Nodes with a silent kubelet: the timer of the grace period, or that it is over. */
  readonly #silences = new Map<string, Timer | "over">();
  /**
   * The resourceVersion of our last write to a Node, until the informer has seen it: no decision is made on older versions.
   */
  readonly #written = new Map<string, string>();

  constructor(options: NodeControllerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ env: options.env, name: "nodes" });
    options.nodes.addHandler(({ object }) => this.look(object.metadata.name));
    for (let worker = 0; worker < WORKERS; worker++) void this.#work();
  }

  /** Enqueues the Node: it, its kubelet or its machine has changed. */
  look(nodeName: string): void {
    this.#queue.add(nodeName);
  }

  close(): void {
    this.#queue.close();
    for (const name of this.#silences.keys()) this.#endSilence(name);
  }

  async #work(): Promise<void> {
    for (let name = await this.#queue.take(); name !== undefined; name = await this.#queue.take()) {
      try {
        await this.#settle(name);
        this.#queue.forget(name);
      } catch (error) {
        // A conflict, or a server that is away for a while. Any other error is a bug and must be seen.
        if (!(error instanceof Failure)) throw error;
        this.#queue.retry(name);
      } finally {
        this.#queue.done(name);
      }
    }
  }

  async #settle(name: string): Promise<void> {
    const { client, env, nodes, machineOf } = this.#options;
    // The informer's next event enqueues the Node again.
    if (!nodes.hasSeen(this.#written.get(name) ?? "0")) return;
    this.#written.delete(name);
    const node = nodes.store.get(name);
    if (this.#isOverdue(name, node)) return await reportSilent(client, node, env.clock.now());
    if (!node) return;
    const verdict = decideNode(node, () => machineOf(node));
    if (verdict.do === "delete") return await client.delete(Node, { name }, uidOf(node));
    if (verdict.do === "initialize") return await this.#initialize(node, verdict);
    const taints = taintsByHealth(node, env.clock.now());
    if (taints) await this.#patch(node, { spec: { taints } });
  }

  /**
   * Whether a Node's kubelet has been silent for longer than the grace period, which starts when the silence is first seen.
   */
  #isOverdue(name: string, node: Frozen<Node> | undefined): node is Frozen<Node> {
    const { env, gracePeriodMs, isSpeaking } = this.#options;
    if (!node || !isReady(node) || isSpeaking(name) || !isOfAzure(node)) {
      this.#endSilence(name);
      return false;
    }
    if (!this.#silences.has(name)) {
      const timer = env.clock.timer(gracePeriodMs, () => {
        this.#silences.set(name, "over");
        this.look(name);
      });
      this.#silences.set(name, timer);
    }
    return this.#silences.get(name) === "over";
  }

  #endSilence(name: string): void {
    const silence = this.#silences.get(name);
    if (silence !== undefined && silence !== "over") silence.cancel();
    this.#silences.delete(name);
  }

  /** Addresses come first, so that a node is reachable before it may run pods. */
  async #initialize(known: Frozen<Node>, verdict: CloudVerdict & { do: "initialize" }): Promise<void> {
    const { env } = this.#options;
    const { providerID, labels, addresses } = verdict;
    const node = await this.#address(known, addresses);
    const byHealth = taintsByHealth(node, env.clock.now()) ?? node.spec?.taints ?? [];
    const taints = byHealth.filter(({ key }) => key !== CLOUD_UNINITIALIZED.key);
    await this.#patch(node, { labels, spec: { providerID, taints } });
  }

  async #address(node: Frozen<Node>, addresses: readonly NodeAddress[]): Promise<Frozen<Node>> {
    if (deepEqual(node.status?.addresses, addresses)) return node;
    const { name } = node.metadata;
    const body = { status: { addresses } };
    return await this.#options.client.patch(Node, { name }, { type: "merge", subresource: "status", body });
  }

  /** The patch replaces the whole list of taints, so it carries the resourceVersion. */
  async #patch(
    { metadata: { name, resourceVersion } }: Frozen<Node>,
    { labels = {}, spec }: { readonly labels?: Readonly<Record<string, string>>; readonly spec: object },
  ): Promise<void> {
    const body = { metadata: { resourceVersion, labels }, spec };
    const written = await this.#options.client.patch(Node, { name }, { type: "merge", body });
    this.#written.set(name, written.metadata.resourceVersion ?? "0");
  }
}

function uidOf({ metadata: { uid } }: Frozen<Node>): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}
