import { flushCompileCache } from "node:module";
import { customKinds, type Features } from "@capstan/api";
import { builtInKinds, type ClusterOptions, type Clusters, openClusters } from "@capstan/apiserver";
import { kubeconfigPath, MANAGEMENT_CLUSTER, savedClusters } from "@capstan/apiserver/layout";
import { type AdjustableClock, type Env, type Transport, withClock } from "@capstan/env";
import { AZURE_UPDATER, CONTROLLERS, MANAGER_NAME, migrateStoredVersions } from "@capstan/manager";
import { createClient, createLogger, silentLogger } from "@capstan/runtime";
import { describeSimulator, type Simulator, startSimulator } from "../azure/simulator.ts";
import { countObjects } from "../cluster/count-objects.ts";
import { installDefinitions } from "../cluster/install-definitions.ts";
import { inProcess } from "../cluster/transport.ts";
import { startWorkloadClusters, type WorkloadClusters } from "../cluster/workload-clusters.ts";
import { embeddedManager } from "../controllers/embedded-manager.ts";
import { type EmbeddedUpdaters, embeddedUpdaters } from "../controllers/embedded-updaters.ts";
import { openClock } from "../data-directory/clock.ts";
import { durationsIn } from "../data-directory/durations.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory/data-directory.ts";
import { EXIT } from "../exit-codes.ts";
import { featuresFor, rememberedGates, rememberGates } from "../data-directory/feature-gates.ts";
import { aborted } from "../signals.ts";
import { type PagePlace, servePage, type ServedPage } from "../page/serve-page.ts";
import { keptPage } from "../page/kept-page.ts";
import { portProblem } from "../port-problem.ts";
import { quoted } from "../render/amounts.ts";
import { prettyLines } from "../render/pretty-log.ts";
import { forWindow } from "../render/emphasis.ts";
import { type Paint, paintFor, tryNext } from "../render/paint.ts";
import type { Shell, Terminal } from "../shell.ts";

/** How to start. */
export interface UpOptions {
  readonly dataDir: string;
  readonly port: number;
  /** The port of the simulated Azure. */
  readonly azurePort: number;
  /** The port of the page in the browser. */
  readonly pagePort: number;
  /** The speed of all clocks relative to the machine's. Default: as before, 1 at first. */
  readonly speed?: number;
  /** Features to switch, as `NAME=true,...`. */
  readonly featureGates?: string;
  /** A file that says how long machines boot, pods stop and operations of Azure take. */
  readonly latencies?: string;
  /** The updaters of this process that are on beside the reference one. */
  readonly updaters?: readonly string[];
}

/** `capstan up`: serves the clusters and the simulated Azure of a data directory until SIGTERM or Ctrl-C. */
export async function up(shell: Shell, options: UpOptions): Promise<number> {
  const { dataDir } = options;
  // First, so that a gate that does not exist leaves no data directory behind.
  const features = featuresFor(shell, options.featureGates, rememberedGates(dataDir));
  const durations = durationsIn(shell, options.latencies);
  const stop = shell.stopSignal();
  const { out } = shell;
  const paint = paintFor(out, shell.variables);
  const step = (text: string): void => out.write(forWindow(shell, `${paint.tick}${text}\n`));

  const directory = openDataDirectory(dataDir, shell);
  const closers: Closer[] = [() => directory.release()];
  try {
    step(`data directory ${dataDir}${directory.isNew ? " (new)" : ""}`);
    if (options.featureGates !== undefined) rememberGates(dataDir, options.featureGates);
    const on = Object.entries(features).flatMap(([name, isOn]) => (isOn ? [name] : []));
    if (on.length > 0) step(`features: ${on.join(", ")}`);
    const { link } = await start(shell, { directory, step, options, features, durations, closers });
    step(`ready in ${Math.round(shell.env.clock.monotonic() - shell.beganMs)} ms`);
    printNextSteps(out, paint, { dataDir, link });
    // If the server is killed later, this is the last chance to store the cache that makes the next start faster.
    flushCompileCache();
    await aborted(stop);
    out.write("\nstopping\n");
  } finally {
    await closeAll(closers);
  }
  step(`stopped; all data is kept in ${dataDir}`);
  return EXIT.done;
}

type Closer = () => void | Promise<void>;

/** Closes in reverse order of opening; a failure does not keep the others from being closed. */
async function closeAll(closers: Closer[]): Promise<void> {
  const close = closers.pop();
  if (!close) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}

type Durations = ReturnType<typeof durationsIn>;

interface Start {
  readonly directory: DataDirectory;
  readonly step: (text: string) => void;
  readonly options: UpOptions;
  readonly features: Features;
  readonly durations: Durations;
  readonly closers: Closer[];
}

/** Starts everything on one clock, which may run faster than the machine's. */
async function start(shell: Shell, begun: Start): Promise<ServedPage> {
  const { directory, step, options, features, durations, closers } = begun;
  const { dataDir, speed } = options;
  const clock = openClock({ env: shell.env, dataDir, ...(speed !== undefined && { speed }) });
  const env = withClock(shell.env, clock);
  const clusters = await openClusters({ env, outside: shell.env, folder: dataDir });
  closers.push(() => clusters.close());
  let updaters: EmbeddedUpdaters | undefined;
  let workloads: WorkloadClusters | undefined;
  const { url, kube } = await startApi(env, clusters, {
    directory,
    step,
    options,
    features,
    // They need the guests, which start after the API server.
    services: (service) => updaters?.services(service),
    podsOf: (name) => (target) => workloads?.podsOf(name)(target),
  });
  const simulator = await startAzure(shell, clock, begun);
  closers.push(() => simulator.close());
  workloads = await startWorkloadClusters({
    env,
    outside: shell.env,
    clusters,
    azure: simulator.azure,
    dataDir,
    durations,
    say: (line) => shell.out.write(`${line}\n`),
    log: shell.err,
  });
  closers.push(() => workloads?.close());
  simulator.azure.release();
  step(workloads.summary);
  // Users read conditions and events; the log has only what should never happen.
  const log = createLogger(env, "error", prettyLines(shell.err));
  const hasAzure = options.updaters?.includes(AZURE_UPDATER) === true;
  updaters = embeddedUpdaters({
    kube,
    guests: workloads.guests,
    azure: hasAzure ? () => manager.azureUpdater : undefined,
  });
  const manager = embeddedManager({
    env,
    outside: shell.env,
    clusters,
    url,
    azure: simulator.azure,
    controlPlanes: workloads,
    log,
    features,
    connectToUpdater: updaters.connect,
  });
  closers.push(() => manager.stop());
  await manager.start();
  step(`controllers: ${CONTROLLERS.map(({ name }) => name).join(", ")}`);
  const page = await startPage(shell, { env, kube, options, azure: simulator.azure.control });
  closers.push(() => page.close());
  return page;
}

interface PageParts extends Required<Pick<PagePlace, "azure">> {
  readonly env: Env;
  readonly kube: Transport;
  readonly options: UpOptions;
}

/** The page has the rights of the administrator, as the kubeconfig of the data directory does. */
function startPage(
  { env: outside, err }: Shell,
  { env, kube, options, azure }: PageParts,
): Promise<ServedPage> {
  return servePage({
    env: outside,
    now: () => env.clock.now(),
    client: createClient({ env: outside, transport: kube, fieldManager: "capstan-page" }),
    transport: kube,
    home: options.dataDir,
    chosen: undefined,
    fallback: "default",
    port: options.pagePort,
    portFlag: "--page-port",
    log: err,
    flags: `--data-dir ${quoted(options.dataDir)}`,
    azure,
    kept: keptPage(options.dataDir),
  });
}

type Part = Omit<Start, "closers" | "durations">;

interface ApiParts extends Part, Pick<ClusterOptions, "services"> {
  readonly podsOf: WorkloadClusters["podsOf"];
}

async function startApi(
  env: Env,
  clusters: Clusters,
  { directory, step, options, features, services, podsOf }: ApiParts,
): Promise<{ readonly url: string; readonly kube: Transport }> {
  const { dataDir, port } = options;
  const management = await clusters.add(MANAGEMENT_CLUSTER, {
    kinds: builtInKinds,
    rules: customKinds,
    features,
    ...(services && { services }),
  });
  for (const name of savedClusters(dataDir)) {
    if (name !== MANAGEMENT_CLUSTER) await clusters.add(name, { kinds: builtInKinds, pods: podsOf(name) });
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
  await migrate(env, transport, step);
  return { url, kube: transport };
}

/** Brings objects of an earlier release to the versions that are stored now. */
async function migrate(env: Env, transport: Transport, step: (text: string) => void): Promise<void> {
  let objects = 0;
  const left = await migrateStoredVersions({
    client: createClient({ env, transport, fieldManager: MANAGER_NAME }),
    log: silentLogger,
    onRewritten: (_, rewritten) => {
      objects += rewritten.objects;
    },
  });
  if (objects > 0) step(`objects migrated to the stored versions: ${objects}`);
  // They can still be read: this server converts them in its own process.
  if (left.length > 0) step(`CRDs with objects that could not be migrated: ${left.join(", ")}`);
}

async function startAzure(
  { env }: Shell,
  clock: AdjustableClock,
  { directory, step, options, durations }: Start,
): Promise<Simulator> {
  const { dataDir, azurePort: port } = options;
  const simulator = await startSimulator({
    env,
    clock,
    dataDir,
    isKept: true,
    port,
    portFlag: "--azure-port",
    ...(durations.latencies && { latencies: durations.latencies }),
    isHeld: true,
  });
  directory.announce({ azureUrl: simulator.url });
  step(describeSimulator(simulator));
  return simulator;
}

/** Prints commands that work as printed, in another terminal: the kubeconfig, something to apply, and what to watch. */
function printNextSteps(
  out: Terminal,
  paint: Paint,
  { dataDir, link }: { readonly dataDir: string; readonly link: string },
): void {
  const here = `--data-dir ${quoted(dataDir)}`;
  const lines = [
    `export KUBECONFIG=${quoted(kubeconfigPath(dataDir, MANAGEMENT_CLUSTER))}`,
    "kubectl apply -f examples/machine-pool/",
    `npx capstan rollout watch workers ${here}`,
    `npx capstan describe cluster quay ${here}`,
  ];
  out.write(tryNext(lines, paint));
  out.write(`\nOr watch it in a browser, by a link that is good for one login:\n  ${paint.strong(link)}\n`);
  out.write(
    paint.faint("\nCtrl-C stops it; all data is kept. examples/README.md lists what else to apply.\n"),
  );
}
