import { createHash, X509Certificate } from "node:crypto";
import type { Env } from "@capstan/env";
import { createClient, type Logger } from "@capstan/runtime";
import type { WorkloadCluster } from "../guests/guest-clusters.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";
import { startWorkloads, type Workloads } from "../workloads/workloads.ts";
import { breakable } from "./breakable.ts";
import {
  ownerUid,
  type PublishedCluster,
  publishClusterInfo,
  publishedKubeconfig,
  recordedOwner,
  recordOwner,
} from "./cluster-info.ts";
import type { Gate } from "./gate.ts";
import type { ControlPlaneHost, HostedControlPlane } from "./host.ts";

/** The options of a control plane. */
export interface ControlPlaneOptions {
  readonly env: Env;
  readonly host: ControlPlaneHost;
  readonly log: Logger;
  /** The name of the logical cluster. */
  readonly name: string;
  /** What it belongs to: the UID of its Cluster, and the machine that started it. Objects of another owner are dropped. */
  readonly uid: string;
  /** The switch of its API server. */
  readonly gate: Gate;
  /** What `kubeadm init` found on its machine, or what an earlier start of this process stored; absent for a stand-in. */
  readonly published?: PublishedCluster;
  /** The timing of pods. */
  readonly pods: Partial<PodSettings>;
}

/** The control plane of one logical cluster, with its controllers. */
export interface ControlPlane {
  readonly uid: string;
  readonly kubeconfig: string;
  readonly cluster: WorkloadCluster;
  /** The endpoint at which it runs on without its Cluster; undefined if it ends with the Cluster. */
  readonly keptAt: string | undefined;
  /** Sets `keptAt`, also for later processes. */
  keepAt(endpoint: string | undefined): Promise<void>;
  /** Stops the controllers and closes all connections to the cluster; the stored objects stay. */
  close(): Promise<void>;
}

/** Starts the control plane of a Cluster on its stored objects. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { env, log, name, uid, published } = options;
  const { transport: inner, kubeconfig: own, caCertHash: ownHash } = await openFor(options);
  const kubeconfig = published ? publishedKubeconfig(published) : own;
  const caCertHash = published ? caCertHashOf(published.authority) : ownHash;
  const client = createClient({ env, transport: inner, fieldManager: FIELD_MANAGER });
  await publishClusterInfo(client, { kubeconfig, uid });
  let { keptAt } = await recordedOwner(client);
  const transport = breakable(inner);
  const workloads: Workloads = await startWorkloads({
    env,
    transport,
    settings: options.pods,
    log: log.with({ cluster: name }),
  });
  return {
    uid,
    kubeconfig,
    cluster: { name, transport, nodes: workloads.nodes, ...(caCertHash !== undefined && { caCertHash }) },
    get keptAt() {
      return keptAt;
    },
    keepAt: async (endpoint) => {
      if (endpoint === keptAt) return;
      await recordOwner(client, { keptAt: endpoint });
      keptAt = endpoint;
    },
    close: async () => {
      await workloads.close();
      transport.break(`cluster ${name} has ended`);
    },
  };
}

const FIELD_MANAGER = "control-planes";

/** The hash of a certificate authority as kubeadm pins it. */
function caCertHashOf(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

/** A Cluster that was deleted and created again with the same name starts empty. */
async function openFor({ env, host, name, uid, gate }: ControlPlaneOptions): Promise<HostedControlPlane> {
  const hosted = await host.add(name, gate);
  const client = createClient({ env, transport: hosted.transport, fieldManager: FIELD_MANAGER });
  const owner = await ownerUid(client);
  if (owner === undefined || owner === uid) return hosted;
  await host.remove(name);
  return await host.add(name, gate);
}
