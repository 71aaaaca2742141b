import { KubeadmControlPlane } from "@capstan/api";
import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import type { Azure } from "@capstan/azure-sim";
import { type Env, type Handler, type Transport, TransportError } from "@capstan/env";
import type { Manager } from "@capstan/manager";
import {
  CLUSTERS_ORIGIN,
  type ControlPlaneHost,
  EtcdClusters,
  etcdGateway,
  type GuestSettings,
  startControlPlanes,
  startGuests,
} from "@capstan/sim";
import { inProcess } from "../../packages/cli/src/cluster/transport.ts";

type ManagerOptions = ConstructorParameters<typeof Manager>[0];

/** The workload clusters that simulated machines run, for a management cluster on a real kube-apiserver. */
export interface SimulatedWorkloads {
  /** The ways of a manager to the workload clusters and their etcd. */
  readonly access: Required<Pick<ManagerOptions, "workload" | "connectEtcd">>;
  /** The way into a workload cluster, by its name. */
  readonly transportTo: (cluster: string) => Transport;
  readonly close: () => Promise<void>;
}

/** Where they run. */
export interface SimulatedWorkloadsOptions {
  readonly env: Env;
  readonly azure: Azure;
  readonly management: Transport;
  readonly settings: Partial<GuestSettings>;
}

/** Starts a guest in each machine of a simulated Azure, and the API servers of the control planes among them. */
export async function startSimulatedWorkloads({
  env,
  azure,
  management,
  settings,
}: SimulatedWorkloadsOptions): Promise<SimulatedWorkloads> {
  const etcd = new EtcdClusters();
  const { host, handlerOf } = memoryHost(env);
  const controlPlanes = startControlPlanes({ env, management, host, etcd, yieldTo: [KubeadmControlPlane] });
  await controlPlanes.ready;
  const guests = startGuests({
    env,
    azure,
    etcd,
    initialize: controlPlanes.initialize,
    clusterAt: (endpoint) => controlPlanes.clusterAt(endpoint),
    settings,
  });
  controlPlanes.onEndpoint((endpoint) => guests.attend(endpoint));
  return {
    access: {
      workload: {
        connect: ({ server }) =>
          inProcess((request) => handlerOf(controlPlanes.nameAt(new URL(server).host) ?? "")(request)),
      },
      connectEtcd: ({ endpoint, nodeName }) => {
        const members = etcd.at(endpoint);
        const gateway = etcdGateway({ etcd: members, nodeName });
        return inProcess((request) => (members.isServing() ? gateway(request) : refused()));
      },
    },
    transportTo: (cluster) => inProcess((request) => handlerOf(cluster)(request)),
    close: async () => {
      guests.close();
      await controlPlanes.close();
    },
  };
}

/** Logical clusters in memory, each behind its gate. */
function memoryHost(env: Env): {
  readonly host: ControlPlaneHost;
  readonly handlerOf: (name: string) => Handler;
} {
  const servers = new Map<string, ApiServer>();
  const handlers = new Map<string, Handler>();
  const host: ControlPlaneHost = {
    add: (name, gate) => {
      const server = servers.get(name) ?? createApiServer({ env, kinds: builtInKinds });
      servers.set(name, server);
      const handle = gate.guard(server.handle);
      handlers.set(name, handle);
      return Promise.resolve({ transport: inProcess(handle), kubeconfig: `${CLUSTERS_ORIGIN}/${name}` });
    },
    remove: (name) => {
      servers.get(name)?.close();
      servers.delete(name);
      handlers.delete(name);
      return Promise.resolve();
    },
    names: () => [...servers.keys()],
  };
  return { host, handlerOf: (name) => handlers.get(name) ?? refused };
}

function refused(): Promise<never> {
  return Promise.reject(new TransportError("refused", "no API server listens at this address"));
}
