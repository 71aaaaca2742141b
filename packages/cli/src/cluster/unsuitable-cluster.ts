import type { Transport } from "@capstan/env";
import { CommandError } from "../command-error.ts";

/**
 * Refuses a cluster of `capstan up`: it has the kinds and runs the controllers itself, and two managers would conflict.
 */
export async function refuseEmbedded(transport: Transport, command: string): Promise<void> {
  const answer = await transport.request({ method: "GET", path: "/version", headers: {} });
  const gitVersion = versionIn(await answer.text());
  if (answer.status === 200 && gitVersion === undefined) {
    throw new CommandError(
      `the server does not answer as a Kubernetes API does (GET /version: ${answer.status}); check the address in the kubeconfig`,
    );
  }
  if (typeof gitVersion !== "string" || !gitVersion.endsWith("+capstan")) return;
  throw new CommandError(
    `this cluster belongs to capstan up, which already serves the kinds and runs the controllers; ${command} is for a management cluster of your own: choose one with --kubeconfig or --context`,
  );
}

/** The version in the answer of a server; undefined if it is not the answer of a Kubernetes API. */
function versionIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly gitVersion?: unknown }).gitVersion;
  } catch {
    return undefined;
  }
}
