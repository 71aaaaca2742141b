import type { ServiceBackends } from "@capstan/apiserver";
import type { Transport } from "@capstan/env";
import { type AzureUpdater, type ConnectToExtension, connectToExtension } from "@capstan/manager";
import type { Guests } from "@capstan/sim";
import { kubeadmUpgrade, machineReader } from "@capstan/updater";
import { ownAzureUpdater, withOwnUpdaters } from "./own-updaters.ts";

/** The updaters that run in the same process as the controllers. */
export interface EmbeddedUpdatersOptions {
  /** The management cluster. */
  readonly kube: Transport;
  readonly guests: Pick<Guests, "run">;
  /** The updater for Azure, if it is switched on. */
  readonly azure?: (() => AzureUpdater) | undefined;
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
export function embeddedUpdaters({ kube, guests, azure }: EmbeddedUpdatersOptions): EmbeddedUpdaters {
  const reference = kubeadmUpgrade({
    readMachine: machineReader(kube),
    runScript: (providerID, script) => Promise.resolve(guests.run(providerID, script)),
  });
  return withOwnUpdaters([reference, ...(azure ? [ownAzureUpdater(azure)] : [])], connectToExtension());
}
