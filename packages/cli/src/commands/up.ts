import { flushCompileCache } from "node:module";
import { customKinds } from "@capstan/api";
import {
  builtInKinds,
  type Clusters,
  kubeconfigPath,
  MANAGEMENT_CLUSTER,
  openClusters,
  savedClusters,
} from "@capstan/apiserver";
import { countObjects } from "../cluster/count-objects.ts";
import { installDefinitions } from "../cluster/install-definitions.ts";
import { inProcess } from "../cluster/transport.ts";
import { CommandError } from "../command-error.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory/data-directory.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../render/amounts.ts";
import { paintFor } from "../render/paint.ts";
import type { Shell } from "../shell.ts";

/** How to start. */
export interface UpOptions {
  readonly dataDir: string;
  readonly port: number;
}

/** `capstan up`: serves the clusters of a data directory until it is told to stop. */
export async function up(shell: Shell, { dataDir, port }: UpOptions): Promise<number> {
  const stop = shell.stopSignal();
  const { out } = shell;
  const paint = paintFor(out, shell.variables);
  const step = (text: string): void => out.write(`${paint.tick}${text}\n`);

  const directory = openDataDirectory(dataDir, shell);
  try {
    step(`data directory ${dataDir}${directory.isNew ? " (new)" : ""}`);
    const clusters = await openClusters({ env: shell.env, folder: dataDir });
    try {
      await start(shell, { clusters, directory, step, dataDir, port });
      step(`ready in ${Math.round(shell.env.clock.monotonic() - shell.beganMs)} ms`);
      out.write(
        `\nTry next:\n${suggestions(dataDir)
          .map((line) => `  ${paint.strong(line)}\n`)
          .join("")}`,
      );
      out.write(paint.faint("\nCtrl-C stops it; everything is kept.\n"));
      // A server that is killed later has no other chance to make the next start faster.
      flushCompileCache();
      await aborted(stop);
      out.write("\nstopping\n");
    } finally {
      await clusters.close();
    }
  } finally {
    directory.release();
  }
  step(`stopped; everything is kept in ${dataDir}`);
  return EXIT.done;
}

interface Start {
  readonly clusters: Clusters;
  readonly directory: DataDirectory;
  readonly step: (text: string) => void;
  readonly dataDir: string;
  readonly port: number;
}

async function start(shell: Shell, { clusters, directory, step, dataDir, port }: Start): Promise<void> {
  const { env } = shell;
  const management = await clusters.add(MANAGEMENT_CLUSTER, { kinds: builtInKinds, rules: customKinds });
  for (const name of savedClusters(dataDir)) {
    if (name !== MANAGEMENT_CLUSTER) await clusters.add(name, { kinds: builtInKinds });
  }
  const transport = inProcess(management.server.handle);
  step(`objects read: ${await countObjects(transport)}`);
  const { url, certificateEndsMs } = await listen(clusters, port);
  step(`certificates valid until ${new Date(certificateEndsMs).toISOString().slice(0, 10)}`);
  directory.announce(url);
  step(`API listening on ${url}`);
  const { created, updated, unchanged } = await installDefinitions({ env, transport }, customKinds);
  step(`CRDs installed: ${customKinds.length} (${created} new, ${updated} updated, ${unchanged} unchanged)`);
}

async function listen(clusters: Clusters, port: number): ReturnType<Clusters["serve"]> {
  try {
    return await clusters.serve({ port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new CommandError(`port ${port} is in use; choose another, or let --port 0 pick a free one`);
    if (code === "EACCES" && port > 0 && port < 1024)
      throw new CommandError(`port ${port} is not for everybody; choose one above 1023, or --port 0`);
    throw error;
  }
}

/** Three commands that work as they are printed. */
function suggestions(dataDir: string): string[] {
  const kubectl = `kubectl --kubeconfig ${quoted(kubeconfigPath(dataDir, MANAGEMENT_CLUSTER))}`;
  return [`${kubectl} get namespaces`, `${kubectl} get crds`, `${kubectl} explain machinepool.spec`];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
