import type { Transport } from "@capstan/env";
import { CommandError } from "../command-error.ts";

// Rules of our CRDs need functions of CEL that Kubernetes has since then.
const OLDEST_MINOR = 30;

/**
 * Refuses what is no management cluster for us: a server that is not Kubernetes or too old, and a cluster of `capstan up`, which
 * has the kinds and runs the controllers itself.
 */
export async function refuseUnsuitable(transport: Transport, command: string): Promise<void> {
  const answer = await transport.request({ method: "GET", path: "/version", headers: {} });
  const gitVersion = versionIn(await answer.text());
  if (answer.status === 200 && gitVersion === undefined) {
    throw new CommandError(
      `the server does not answer as a Kubernetes API does (GET /version: ${answer.status}); check the address in the kubeconfig`,
    );
  }
  if (typeof gitVersion !== "string") return;
  if (isOld(gitVersion))
    throw new CommandError(
      `the cluster runs Kubernetes ${JSON.stringify(gitVersion)}; ${command} needs 1.${OLDEST_MINOR} or newer: upgrade the cluster, or choose another with --kubeconfig or --context`,
    );
  if (!gitVersion.endsWith("+capstan")) return;
  throw new CommandError(
    `this cluster belongs to capstan up, which already serves the kinds and runs the controllers; ${command} is for a management cluster of your own: choose one with --kubeconfig or --context`,
  );
}

/** Whether a version of Kubernetes, such as v1.29.4-gke.1, is older than the oldest that we work with. */
function isOld(gitVersion: string): boolean {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(gitVersion) ?? [];
  return major === "1" && Number(minor) < OLDEST_MINOR;
}

/** The version in the answer of a server; undefined if it is not the answer of a Kubernetes API. */
function versionIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly gitVersion?: unknown }).gitVersion;
  } catch {
    return undefined;
  }
}
