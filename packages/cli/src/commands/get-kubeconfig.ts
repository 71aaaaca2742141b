import { kubeconfigPath, savedClusters } from "@capstan/apiserver/layout";
import { readIfThere } from "@capstan/apiserver/private-file";
import { clusterNameForUsers, managedClustersNamed } from "@capstan/sim";
import { existing } from "../cluster/unknown-name.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { startCommand } from "../flags.ts";
import type { Shell } from "../shell.ts";

/** Which cluster's kubeconfig. */
export interface GetKubeconfigOptions {
  readonly dataDir: string;
  readonly cluster: string;
}

/** `capstan get kubeconfig`: prints the administrator's kubeconfig of a cluster, whether the cluster runs or not. */
export function getKubeconfig(shell: Shell, { dataDir, cluster }: GetKubeconfigOptions): number {
  const known = savedClusters(dataDir).map((name) => ({
    name,
    text: readIfThere(kubeconfigPath(dataDir, name)),
  }));
  const names = known.filter((one) => one.text !== undefined).map(({ name }) => name);
  // The logical cluster of an AKS cluster is named after its ARM id.
  const [managed, ...others] = managedClustersNamed(cluster, names);
  const meant = names.includes(cluster) || managed === undefined || others.length > 0 ? cluster : managed;
  const text = known.find(({ name }) => name === meant)?.text;
  if (text === undefined) {
    const shown = names.map((name) => clusterNameForUsers(name, names));
    throw new CommandError(
      names.length === 0
        ? `${dataDir} has no clusters yet; start with: ${startCommand(shell, dataDir)}`
        : `there is no cluster ${JSON.stringify(cluster)} in ${dataDir}; ${existing(cluster, shown)}`,
    );
  }
  shell.out.write(text);
  return EXIT.done;
}
