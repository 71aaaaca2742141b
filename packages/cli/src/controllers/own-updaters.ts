import type { ServiceBackends } from "@capstan/apiserver";
import type { Handler } from "@capstan/env";
import { AZURE_UPDATER, type AzureUpdater, type ConnectToExtension } from "@capstan/manager";
import { defineUpdater } from "@capstan/updater";
import { terminal } from "@capstan/runtime";
import { inProcess } from "../cluster/transport.ts";

/** The namespace of the Services that updaters of this process seem to have. */
const NAMESPACE = "capstan-system";

/** An updater that answers in the process of the controllers. */
export interface OwnUpdater {
  /** The name of its Service in the namespace capstan-system. */
  readonly name: string;
  readonly handle: Handler;
}

/** The updater for Azure, as one of this process. The manager makes it, and needs the way to updaters before. */
export function ownAzureUpdater(definition: () => AzureUpdater): OwnUpdater {
  let handle: Handler | undefined;
  return {
    name: AZURE_UPDATER,
    handle: (request) => (handle ??= defineUpdater(definition()).handle)(request),
  };
}

/** The way to updaters: those of this process by the Services that they seem to have, all others over TLS. */
export function withOwnUpdaters(
  updaters: readonly OwnUpdater[],
  others: ConnectToExtension,
): { readonly connect: ConnectToExtension; readonly services: ServiceBackends } {
  const handlers = new Map(updaters.map(({ name, handle }) => [hostOf(name), handle]));
  return {
    connect: (address) => {
      const { hostname } = new URL(address.url);
      const handler = handlers.get(hostname);
      if (handler) return inProcess(handler);
      if (hostname === hostOf(AZURE_UPDATER) && address.authority === undefined)
        throw terminal(
          "UpdaterOff",
          `the updater for Azure of this process is off; start with --updaters ${AZURE_UPDATER}, or set spec.clientConfig.caBundle if another one runs as this Service`,
        );
      return others(address);
    },
    services: ({ namespace, name }) => handlers.get(`${name}.${namespace}.svc`),
  };
}

function hostOf(name: string): string {
  return `${name}.${NAMESPACE}.svc`;
}
