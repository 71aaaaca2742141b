import { createHash, X509Certificate } from "node:crypto";
import { builtInKinds, type Clusters, type PodBackends } from "@capstan/apiserver";
import { parseKubeconfig } from "@capstan/apiserver/kubeconfig";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import { readIfThere } from "@capstan/apiserver/private-file";
import type { ControlPlaneHost } from "@capstan/sim";
import { CommandError } from "../command-error.ts";
import { inProcess } from "./transport.ts";

/** What the host of control planes needs. */
export interface ControlPlaneHostOptions {
  readonly clusters: Clusters;
  readonly dataDir: string;
  /** The servers in the pods of a logical cluster. */
  readonly podsOf: (name: string) => PodBackends;
}

/** Stores the logical clusters of control planes in a data directory, and serves them on the port of all clusters. */
export function controlPlaneHost({ clusters, dataDir, podsOf }: ControlPlaneHostOptions): ControlPlaneHost {
  return {
    add: async (name, gate) => {
      const options = { kinds: builtInKinds, pods: podsOf(name) };
      const { server } = clusters.get(name) ?? (await clusters.add(name, options));
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
