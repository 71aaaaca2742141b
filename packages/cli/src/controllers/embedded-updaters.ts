import type { ServiceBackends } from "@capstan/apiserver";
import type { Handler, Transport } from "@capstan/env";
import { type ConnectToExtension, connectToExtension } from "@capstan/manager";
import type { Guests } from "@capstan/sim";
import { kubeadmUpgrade, machineReader } from "@capstan/updater";
import { inProcess } from "../cluster/transport.ts";

/** The namespace of the Services that updaters of this process seem to have. */
const NAMESPACE = "capstan-system";

/** The updaters that run in the same process as the controllers. */
export interface EmbeddedUpdatersOptions {
  /** The management cluster. */
  readonly kube: Transport;
  readonly guests: Pick<Guests, "run">;
}

/** The way to updaters: for the controllers of this process, and for clients of its API server. */
export interface EmbeddedUpdaters {
  readonly connect: ConnectToExtension;
  /** The updaters of this process, by the Services that they seem to have. */
  readonly services: ServiceBackends;
}

/**
 * Connects to updaters. The reference updater runs in this process: an ExtensionConfig registers it with the Service
 * kubeadm-upgrade in the namespace capstan-system. All other updaters are reached over TLS.
 */
export function embeddedUpdaters({ kube, guests }: EmbeddedUpdatersOptions): EmbeddedUpdaters {
  const updaters = [
    kubeadmUpgrade({
      readMachine: machineReader(kube),
      runScript: (providerID, script) => Promise.resolve(guests.run(providerID, script)),
    }),
  ];
  const handlers = new Map<string, Handler>(
    updaters.map(({ name, handle }) => [`${name}.${NAMESPACE}.svc`, handle]),
  );
  const overTls = connectToExtension();
  return {
    connect: (address) => {
      const handler = handlers.get(new URL(address.url).hostname);
      return handler ? inProcess(handler) : overTls(address);
    },
    services: ({ namespace, name }) => handlers.get(`${name}.${namespace}.svc`),
  };
}
