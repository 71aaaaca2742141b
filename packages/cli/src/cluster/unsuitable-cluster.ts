import type { Transport } from "@capstan/env";
import { CommandError } from "../command-error.ts";

/**
 * Refuses a cluster of `capstan up`: it has the kinds and runs the controllers itself, and two managers would conflict.
 */
export async function refuseEmbedded(transport: Transport, command: string): Promise<void> {
  const answer = await transport.request({ method: "GET", path: "/version", headers: {} });
  const { gitVersion } = (await answer.json()) as { readonly gitVersion?: unknown };
  if (typeof gitVersion !== "string" || !gitVersion.endsWith("+capstan")) return;
  throw new CommandError(
    `this cluster belongs to capstan up, which already serves the kinds and runs the controllers; ${command} is for a management cluster of your own: choose one with --kubeconfig or --context`,
  );
}
