import { createHash, X509Certificate } from "node:crypto";
import { builtInKinds, type Clusters } from "@capstan/apiserver";
import { parseKubeconfig } from "@capstan/apiserver/kubeconfig";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import { readIfThere } from "@capstan/apiserver/private-file";
import type { ControlPlaneHost } from "@capstan/sim";
import { CommandError } from "../command-error.ts";
import { inProcess } from "./transport.ts";

/** Stores the logical clusters of control planes in a data directory, and serves them on the port of all clusters. */
export function controlPlaneHost(clusters: Clusters, dataDir: string): ControlPlaneHost {
  return {
    add: async (name, gate) => {
      const { server } = clusters.get(name) ?? (await clusters.add(name, { kinds: builtInKinds }));
      clusters.guard(name, () => gate.isOpen);
      const path = kubeconfigPath(dataDir, name);
      const kubeconfig = readIfThere(path) ?? "";
      const access = parseKubeconfig(kubeconfig);
      if (!access)
        throw new CommandError(`${path} is not a kubeconfig that Capstan wrote; remove it and start again`);
      return {
        transport: inProcess(gate.guard(server.handle)),
        kubeconfig,
        caCertHash: caCertHashOf(access.ca),
      };
    },
    remove: (name) => clusters.remove(name),
    names: () => clusters.names().filter((name) => name !== MANAGEMENT_CLUSTER),
  };
}

/**
 * The hash of a certificate authority as kubeadm pins it: of its public key, so a renewed certificate keeps the hash.
 */
function caCertHashOf(ca: string): string {
  const key = new X509Certificate(ca).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}
