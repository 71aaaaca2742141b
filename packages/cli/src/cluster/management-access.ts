import type { Transport } from "@capstan/env";
import { connectWithKubeconfig } from "@capstan/runtime";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";

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
  return connectWithKubeconfig({
    ...(kubeconfig !== undefined && {
      text: readGivenFile(shell, kubeconfig, "--kubeconfig"),
      origin: kubeconfig,
    }),
    ...(context !== undefined && { context }),
  });
}
