import { createHttpTransport, type Transport } from "@capstan/env";
import { terminal } from "@capstan/runtime";
import type { ConnectToExtension, ExtensionAddress } from "./hook-client.ts";

/** The client certificate of the manager, for updaters that require one. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Connects over TLS; the authority of the ExtensionConfig is the only one that is trusted. */
export function connectToExtension(client?: ClientCertificate): ConnectToExtension {
  return ({ url, authority }: ExtensionAddress): Transport => {
    if (authority === undefined)
      throw terminal(
        "MissingAuthority",
        "spec.clientConfig.caBundle is not set, so the certificate of the extension cannot be verified; set it, or name a Secret in the annotation runtime.cluster.x-k8s.io/inject-ca-from-secret",
      );
    return createHttpTransport({ baseUrl: url, ca: authority, hostAddresses: "refuse", ...client });
  };
}
