import type { Transport } from "@capstan/env";
import { connectWithKubeconfig } from "@capstan/runtime";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";
import { refuseUnknownContext } from "./known-context.ts";

/** Which management cluster: that of a file, else wherever kubectl would look, else the one that the pod runs in. */
export interface ManagementAccess {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Connects to a management cluster that somebody else runs. */
export async function connectToManagement(
  shell: Shell,
  { kubeconfig, context }: ManagementAccess,
): Promise<Transport> {
  const chosen = context === undefined ? {} : { context };
  if (kubeconfig === undefined) {
    refuseNowhere(shell);
    return connectWithKubeconfig(chosen);
  }
  const text = readGivenFile(shell, kubeconfig, "--kubeconfig");
  refuseUnknownContext(text, kubeconfig, context);
  return connectWithKubeconfig({ text, origin: kubeconfig, ...chosen });
}

/** Without this the official client would try http://localhost:8080, which nobody means any more. */
function refuseNowhere({ variables }: Shell): void {
  const usual = join(variables["HOME"] ?? "/", ".kube", "config");
  if (variables["KUBECONFIG"] || variables["KUBERNETES_SERVICE_HOST"] || existsSync(usual)) return;
  throw new CommandError(
    `there is no kubeconfig at ${usual}, and this is no pod; set KUBECONFIG or give --kubeconfig`,
  );
}
