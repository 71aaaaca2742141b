import type { Env } from "@capstan/env";
import { createClient, type Logger } from "@capstan/runtime";
import type { WorkloadCluster } from "../guests/guest-clusters.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";
import { startWorkloads, type Workloads } from "../workloads/workloads.ts";
import { breakable } from "./breakable.ts";
import { ownerUid, publishClusterInfo } from "./cluster-info.ts";
import type { ControlPlaneHost, HostedControlPlane } from "./host.ts";

/** The options of a control plane. */
export interface ControlPlaneOptions {
  readonly env: Env;
  readonly host: ControlPlaneHost;
  readonly log: Logger;
  /** The name of the logical cluster. */
  readonly name: string;
  /** The UID of its Cluster. */
  readonly uid: string;
  /** The timing of pods. */
  readonly pods: Partial<PodSettings>;
}

/** The control plane of one logical cluster, with its controllers. */
export interface ControlPlane {
  readonly uid: string;
  readonly kubeconfig: string;
  readonly cluster: WorkloadCluster;
  /** Stops the controllers and closes all connections to the cluster; the stored objects stay. */
  close(): Promise<void>;
}

/** Starts the control plane of a Cluster on its stored objects. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { env, log, name, uid } = options;
  const { transport: inner, kubeconfig, caCertHash } = await openFor(options);
  await publishClusterInfo(createClient({ env, transport: inner, fieldManager: FIELD_MANAGER }), {
    kubeconfig,
    uid,
  });
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
    close: async () => {
      await workloads.close();
      transport.break(`cluster ${name} has ended`);
    },
  };
}

const FIELD_MANAGER = "control-planes";

/** A Cluster that was deleted and created again with the same name starts empty. */
async function openFor({ env, host, name, uid }: ControlPlaneOptions): Promise<HostedControlPlane> {
  const hosted = await host.add(name);
  const client = createClient({ env, transport: hosted.transport, fieldManager: FIELD_MANAGER });
  const owner = await ownerUid(client);
  if (owner === undefined || owner === uid) return hosted;
  await host.remove(name);
  return await host.add(name);
}
