import { kubeconfigPath, readIfThere, savedClusters } from "@capstan/apiserver";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** Which cluster's kubeconfig. */
export interface GetKubeconfigOptions {
  readonly dataDir: string;
  readonly cluster: string;
}

/** `capstan get kubeconfig`: prints the administrator's kubeconfig of a cluster, whether the cluster runs or not. */
export function getKubeconfig({ out }: Shell, { dataDir, cluster }: GetKubeconfigOptions): number {
  const known = savedClusters(dataDir).map((name) => ({
    name,
    text: readIfThere(kubeconfigPath(dataDir, name)),
  }));
  const text = known.find(({ name }) => name === cluster)?.text;
  if (text === undefined) {
    const names = known.filter((one) => one.text !== undefined).map(({ name }) => name);
    throw new CommandError(
      names.length === 0
        ? `${dataDir} has no clusters yet; start with: capstan up`
        : `there is no cluster ${JSON.stringify(cluster)} in ${dataDir}; existing: ${names.join(", ")}`,
    );
  }
  out.write(text);
  return EXIT.done;
}
