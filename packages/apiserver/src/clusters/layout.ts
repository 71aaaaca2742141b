/**
 * The layout of a data directory:
 *
 * ```
 * kubeconfig                  of the management cluster's administrator
 * serving/ca.crt  ca.key      the certificate authority that clients trust
 *         tls.crt tls.key     the certificate of the port that all clusters share
 * clusters/NAME/objects.db    the objects of one cluster
 *               ca.crt ca.key the certificate authority of this cluster's client certificates
 *               kubeconfig    of the administrator; the management cluster has its one at the top
 * ```
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { dns1123LabelProblems } from "@capstan/api";

/** The cluster that is served at the root of the port. */
export const MANAGEMENT_CLUSTER = "management";

/** The folder of the certificates that all clusters share. */
export function servingFolder(folder: string): string {
  return join(folder, "serving");
}

/** The folder of one cluster. */
export function clusterFolder(folder: string, name: string): string {
  return join(folder, "clusters", name);
}

/** The path of the kubeconfig of a cluster's administrator. */
export function kubeconfigPath(folder: string, name: string): string {
  return join(name === MANAGEMENT_CLUSTER ? folder : clusterFolder(folder, name), "kubeconfig");
}

/** The names of the clusters that are stored in a data directory, in order. */
export function savedClusters(folder: string): string[] {
  const parent = join(folder, "clusters");
  if (!existsSync(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && dns1123LabelProblems(entry.name).length === 0)
    .map(({ name }) => name)
    .toSorted();
}
