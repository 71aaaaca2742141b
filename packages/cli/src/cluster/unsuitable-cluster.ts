import type { Transport } from "@capstan/env";
import { CommandError } from "../command-error.ts";

/** Refuses a cluster of `capstan up`: it has the kinds and runs the controllers itself, and two managers would fight. */
export async function refuseEmbedded(transport: Transport, command: string): Promise<void> {
  const answer = await transport.request({ method: "GET", path: "/version", headers: {} });
  const { gitVersion } = (await answer.json()) as { readonly gitVersion?: unknown };
  if (typeof gitVersion !== "string" || !gitVersion.endsWith("+capstan")) return;
  throw new CommandError(
    `this cluster is one of capstan up, which has the kinds and runs the controllers already; ${command} is for management clusters of your own: choose one with --kubeconfig or --context`,
  );
}
