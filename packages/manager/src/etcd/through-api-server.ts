import { type Clock, createPortForwardTransport, type Transport, TransportError } from "@capstan/env";
import { apiServerOf, concealer } from "../workload/connect.ts";
import type { ConnectToEtcd, EtcdTarget } from "./port.ts";

/** The connections of a process to members of etcd. */
export interface EtcdConnections {
  readonly connect: ConnectToEtcd;
  close(): Promise<void>;
}

// A settled control plane is reconciled every ten minutes; a member that was not asked for longer is probably gone.
const FORGET_MS = 15 * 60_000;
const ETCD_PORT = 2379;

interface Entry {
  readonly transport: Transport;
  usedMs: number;
}

/**
 * Connects to members of etcd by port-forwards through the API servers of their clusters, as nothing but the API server of a
 * workload cluster can be reached from a management cluster. Passes over a control plane share a connection, which closes
 * when it is idle.
 */
export function etcdThroughApiServers(
  { clock }: { readonly clock: Clock },
  open: (target: EtcdTarget) => Transport = openPortForward,
): EtcdConnections {
  const entries = new Map<string, Entry>();
  const forgetOld = (nowMs: number): void => {
    for (const [key, { transport, usedMs }] of entries) {
      if (nowMs - usedMs < FORGET_MS) continue;
      entries.delete(key);
      void transport.close();
    }
  };
  return {
    connect: (target) => {
      const nowMs = clock.monotonic();
      forgetOld(nowMs);
      const key = `${target.endpoint} ${target.nodeName} ${target.certificate}`;
      const entry = entries.get(key) ?? { transport: open(target), usedMs: nowMs };
      entry.usedMs = nowMs;
      entries.set(key, entry);
      // The next pass uses the connection again, so a caller does not close it.
      return { request: (request) => entry.transport.request(request), close: () => Promise.resolve() };
    },
    close: async () => {
      const closing = [...entries.values()].map(({ transport }) => transport.close());
      entries.clear();
      await Promise.all(closing);
    },
  };
}

/** A connection that is opened on the first request, with the kubeconfig as it is then. */
function openPortForward({ apiServer, nodeName, authority, certificate, key }: EtcdTarget): Transport {
  let conceal = (text: string): string => text;
  const transport = createPortForwardTransport({
    apiServer: async () => {
      const facts = await apiServer();
      conceal = concealer(facts);
      return apiServerOf(facts);
    },
    target: { namespace: "kube-system", pod: `etcd-${nodeName}`, port: ETCD_PORT },
    // The certificate of a member has the name of its Node.
    tls: { ca: authority, cert: certificate, key: key.reveal(), serverName: nodeName },
  });
  return {
    request: async (request) => {
      try {
        return await transport.request(request);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        // What an API server answers may quote the credentials that it was sent.
        throw new TransportError(error.failure, conceal(error.message));
      }
    },
    close: () => transport.close(),
  };
}
