import {
  type Frozen,
  Node,
  type NodeAddress,
  parseProviderId,
  formatProviderId,
  type ProviderId,
  providerIdProblem,
} from "@capstan/api";
import type { Machine } from "@capstan/azure-sim";
import type { Env } from "@capstan/env";
import { type Client, Failure, type Informer, WorkQueue } from "@capstan/runtime";
import { isReady } from "../readiness.ts";
import { CLOUD_UNINITIALIZED } from "./kubelet.ts";

/** What the cloud provider does about a Node. */
export type CloudVerdict =
  | { readonly do: "nothing" }
  | { readonly do: "delete" }
  | {
      readonly do: "initialize";
      readonly providerID: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly addresses: readonly NodeAddress[];
    };

/** Decides about a Node from its machine; undefined when there is no such machine. */
export function decideNode(node: Frozen<Node>, machine: Machine | undefined): CloudVerdict {
  if (!machine) return isOfAzure(node) && !isReady(node) ? { do: "delete" } : { do: "nothing" };
  if (!isUninitialized(node)) return { do: "nothing" };
  const { location, zone } = machine;
  return {
    do: "initialize",
    // The cloud provider writes resource groups in lower case.
    providerID: formatProviderId(parseProviderId(`azure://${machine.id}`)),
    labels: {
      "topology.kubernetes.io/region": location,
      // A machine outside of all zones has its fault domain there, which is 0 in this cloud.
      "topology.kubernetes.io/zone": zone === undefined ? "0" : `${location}-${zone}`,
      "node.kubernetes.io/instance-type": machine.size,
    },
    addresses: [
      ...machine.privateAddresses.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: node.metadata.name },
    ],
  };
}

/** The machine a Node says it is; undefined while nobody has said so in a way that can be read. */
export function providerIdOf(node: Frozen<Node>): ProviderId | undefined {
  const text = node.spec?.providerID ?? "";
  return providerIdProblem(text) === undefined ? parseProviderId(text) : undefined;
}

/** Nodes that other people made by hand are none of the cloud provider's business. */
function isOfAzure(node: Frozen<Node>): boolean {
  return isUninitialized(node) || providerIdOf(node) !== undefined;
}

function isUninitialized(node: Frozen<Node>): boolean {
  return node.spec?.taints?.some(({ key }) => key === CLOUD_UNINITIALIZED.key) ?? false;
}

/** What a cloud controller needs. */
export interface CloudControllerOptions {
  readonly env: Env;
  readonly client: Client;
  readonly nodes: Informer<Node>;
  readonly machineOf: (node: Frozen<Node>) => Machine | undefined;
}

// As many as cloud-controller-manager updates at once.
const WORKERS = 10;

/** The cloud provider's side of Nodes: names their machines, and removes those whose machine is gone. */
export class CloudController {
  readonly #options: CloudControllerOptions;
  readonly #queue: WorkQueue;

  constructor(options: CloudControllerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ env: options.env, name: "cloud-node" });
    options.nodes.addHandler(({ object }) => this.look(object.metadata.name));
    for (let worker = 0; worker < WORKERS; worker++) void this.#work();
  }

  /** Looks at the Node soon: it or its machine has changed. */
  look(nodeName: string): void {
    this.#queue.add(nodeName);
  }

  close(): void {
    this.#queue.close();
  }

  async #work(): Promise<void> {
    for (let name = await this.#queue.take(); name !== undefined; name = await this.#queue.take()) {
      try {
        await this.#settle(name);
        this.#queue.forget(name);
      } catch (error) {
        // Somebody else wrote, or the server is away for a while. Anything else is a bug and must be seen.
        if (!(error instanceof Failure)) throw error;
        this.#queue.retry(name);
      } finally {
        this.#queue.done(name);
      }
    }
  }

  async #settle(name: string): Promise<void> {
    const { client, nodes, machineOf } = this.#options;
    const node = nodes.store.get(name);
    if (!node) return;
    const verdict = decideNode(node, machineOf(node));
    if (verdict.do === "delete") await client.delete(Node, { name }, uidOf(node));
    if (verdict.do === "initialize") await this.#initialize(name, verdict);
  }

  /** Addresses come first, so that a node which may run pods can be reached. */
  async #initialize(name: string, verdict: CloudVerdict & { do: "initialize" }): Promise<void> {
    const { client } = this.#options;
    const { providerID, labels, addresses } = verdict;
    const status = { status: { addresses } };
    const node = await client.patch(Node, { name }, { type: "merge", subresource: "status", body: status });
    const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== CLOUD_UNINITIALIZED.key);
    const { resourceVersion } = node.metadata;
    // The list of taints is replaced as a whole, so nobody may have changed it meanwhile.
    const body = { metadata: { resourceVersion, labels }, spec: { providerID, taints } };
    await client.patch(Node, { name }, { type: "merge", body });
  }
}

function uidOf({ metadata: { uid } }: Frozen<Node>): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}
