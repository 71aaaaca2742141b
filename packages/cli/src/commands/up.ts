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
import { describeSimulator, type Simulator, startSimulator } from "../azure/simulator.ts";
import { countObjects } from "../cluster/count-objects.ts";
import { installDefinitions } from "../cluster/install-definitions.ts";
import { inProcess } from "../cluster/transport.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory/data-directory.ts";
import { EXIT } from "../exit-codes.ts";
import { aborted } from "../signals.ts";
import { portProblem } from "../port-problem.ts";
import { quoted } from "../render/amounts.ts";
import { type Paint, paintFor, tryNext } from "../render/paint.ts";
import type { Shell, Terminal } from "../shell.ts";

/** How to start. */
export interface UpOptions {
  readonly dataDir: string;
  readonly port: number;
  /** The port of the simulated Azure. */
  readonly azurePort: number;
  /** How many times as fast as ours the time of the simulated Azure goes; as before unless told, and 1 at first. */
  readonly speed?: number;
}

/** `capstan up`: serves the clusters and the simulated Azure of a data directory until it is told to stop. */
export async function up(shell: Shell, options: UpOptions): Promise<number> {
  const { dataDir } = options;
  const stop = shell.stopSignal();
  const { out } = shell;
  const paint = paintFor(out, shell.variables);
  const step = (text: string): void => out.write(`${paint.tick}${text}\n`);

  const directory = openDataDirectory(dataDir, shell);
  try {
    step(`data directory ${dataDir}${directory.isNew ? " (new)" : ""}`);
    const clusters = await openClusters({ env: shell.env, folder: dataDir });
    try {
      await start(shell, { clusters, directory, step, options });
      const simulator = await startAzure(shell, { directory, step, options });
      try {
        step(`ready in ${Math.round(shell.env.clock.monotonic() - shell.beganMs)} ms`);
        sayWhatNext(out, paint, dataDir);
        // A server that is killed later has no other chance to make the next start faster.
        flushCompileCache();
        await aborted(stop);
        out.write("\nstopping\n");
      } finally {
        await simulator.close();
      }
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
  readonly options: UpOptions;
}

async function start(shell: Shell, { clusters, directory, step, options }: Start): Promise<void> {
  const { dataDir, port } = options;
  const { env } = shell;
  const management = await clusters.add(MANAGEMENT_CLUSTER, { kinds: builtInKinds, rules: customKinds });
  for (const name of savedClusters(dataDir)) {
    if (name !== MANAGEMENT_CLUSTER) await clusters.add(name, { kinds: builtInKinds });
  }
  const transport = inProcess(management.server.handle);
  step(`objects read: ${await countObjects(transport)}`);
  const { url, certificateEndsMs } = await clusters.serve({ port }).catch((error: unknown) => {
    throw portProblem(error, port, "--port");
  });
  step(`certificates valid until ${new Date(certificateEndsMs).toISOString().slice(0, 10)}`);
  directory.announce({ url });
  step(`API listening on ${url}`);
  const { created, updated, unchanged } = await installDefinitions({ env, transport }, customKinds);
  step(`CRDs installed: ${customKinds.length} (${created} new, ${updated} updated, ${unchanged} unchanged)`);
}

async function startAzure(
  { env }: Shell,
  { directory, step, options }: Omit<Start, "clusters">,
): Promise<Simulator> {
  const { dataDir, azurePort: port, speed } = options;
  const simulator = await startSimulator({
    env,
    dataDir,
    isKept: true,
    port,
    portFlag: "--azure-port",
    ...(speed !== undefined && { speed }),
  });
  directory.announce({ azureUrl: simulator.url });
  step(describeSimulator(simulator));
  return simulator;
}

/** Three commands that work as they are printed. */
function sayWhatNext(out: Terminal, paint: Paint, dataDir: string): void {
  const kubectl = `kubectl --kubeconfig ${quoted(kubeconfigPath(dataDir, MANAGEMENT_CLUSTER))}`;
  const lines = [`${kubectl} get namespaces`, `${kubectl} get crds`, `${kubectl} explain machinepool.spec`];
  out.write(tryNext(lines, paint));
  out.write(paint.faint("\nCtrl-C stops it; everything is kept.\n"));
}
