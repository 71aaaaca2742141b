import { type Features, Namespace } from "@capstan/api";
import { type Env, type ListeningServer, serveHttp, type Transport } from "@capstan/env";
import {
  AZURE_UPDATER,
  connectToCluster,
  connectToExtension,
  featuresWithoutEffect,
  type Issued,
  Manager,
  MANAGER_NAME,
  WebhookServer,
} from "@capstan/manager";
import {
  type Client,
  createClient,
  createDiagnostics,
  createLogger,
  type DiagnosticsOptions,
  type Logger,
  type LogLevel,
} from "@capstan/runtime";
import { cloudAt, networkFor } from "../azure/way-to-azure.ts";
import { connectToManagement, type ManagementAccess } from "../cluster/management-access.ts";
import { refuseOtherProviders } from "../cluster/other-providers.ts";
import { refuseUnsuitable } from "../cluster/unsuitable-cluster.ts";
import { refuseWorkloadCluster } from "../cluster/workload-cluster.ts";
import { CommandError } from "../command-error.ts";
import { ownAzureUpdater, withOwnUpdaters } from "../controllers/own-updaters.ts";
import { refuseUnknownControllers } from "../controllers/controller-names.ts";
import { EXIT } from "../exit-codes.ts";
import { type Selection, selectionOf } from "../install/names.ts";
import { featuresFor } from "../data-directory/feature-gates.ts";
import { readGivenFile } from "../given-file.ts";
import { prettyLines } from "../render/pretty-log.ts";
import type { Shell } from "../shell.ts";
import { aborted } from "../signals.ts";
import { readCredentialFile } from "../controllers/credential-file.ts";

/** How to run the controllers on a management cluster. */
export interface ManagerCommandOptions extends ManagementAccess {
  readonly controllers?: readonly string[];
  readonly concurrency: Readonly<Record<string, number>>;
  readonly namespace?: string;
  readonly watchFilter?: string;
  readonly leaderElect: boolean;
  readonly leaseNamespace: string;
  /** Where probes and metrics are served, as HOST:PORT. */
  readonly healthAddr: string;
  /** Where the webhooks are served; 0 disables them. */
  readonly webhookPort: number;
  readonly azureEndpoint?: string;
  readonly azureCa?: string;
  readonly takeOver: boolean;
  /** Features to switch, as `NAME=true,...`. */
  readonly featureGates?: string;
  /** How long an updater may take for one machine. */
  readonly inPlaceUpdateTimeout: number;
  /** The updaters of this process that are on. */
  readonly updaters?: readonly string[];
  /** Files with a client certificate for updaters, and its key. */
  readonly updaterClientCertificate?: string;
  readonly updaterClientKey?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: "json" | "pretty";
}

/** `capstan manager`: runs the controllers against a management cluster and Azure until SIGTERM or Ctrl-C. */
export async function manager(shell: Shell, options: ManagerCommandOptions): Promise<number> {
  const { env } = shell;
  refuseUnknownControllers(options.controllers);
  refuseUnknownControllers(Object.keys(options.concurrency), { flag: "--concurrency" });
  const selection = selectionOf(options.controllers);
  const features = featuresFor(shell, options.featureGates);
  refuseFeaturesWithoutEffect(features, selection);
  const stop = shell.stopSignal();
  const log = loggerFor(shell, options);
  const network = networkFor(shell, options.azureCa);
  const { transport: kube } = await connectToManagement(shell, options);
  await refuseUnsuitable(kube, "capstan manager");
  const client = createClient({ transport: kube, env, fieldManager: MANAGER_NAME });
  await checkNamespace(client, options);
  const running: Manager = new Manager({
    env,
    log,
    kube,
    azure: { cloud: cloudAt(options.azureEndpoint), connect: network.connect },
    workload: { connect: connectToCluster },
    readFile: readCredentialFile,
    concurrency: options.concurrency,
    features,
    updaters: {
      connect: withOwnUpdaters(
        options.updaters?.includes(AZURE_UPDATER) === true
          ? [ownAzureUpdater(() => running.azureUpdater)]
          : [],
        connectToExtension(clientCertificateFor(shell, options)),
      ).connect,
      updateTimeoutMs: options.inPlaceUpdateTimeout,
    },
    controllers: selection.controllers.map(({ name }) => name),
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(options.watchFilter !== undefined && { watchFilter: options.watchFilter }),
    ...(options.leaderElect && { lease: { name: "capstan", namespace: options.leaseNamespace } }),
  });
  const webhooks = webhooksFor(shell, options, { running, kube, log, features });
  const controllers = (): readonly string[] => running.runner.unready();
  // The pod is ready when its webhooks answer. If it waited for the cache, its Service would have no endpoint while the
  // cache waits for lists, which kube-apiserver answers only after it has asked the Service to convert stored objects.
  const unready = (): readonly string[] => (webhooks ? webhooks.unready() : controllers());
  const health = await serveHealth(running, options.healthAddr, { unready, parts: { controllers } });
  log.info("Starting", {
    controllers: selection.controllers.map(({ name }) => name),
    features,
    health: options.healthAddr,
    webhookPort: options.webhookPort,
  });
  try {
    // Start the webhooks first, because kube-apiserver calls them for every write of the controllers, and for reads of
    // stored objects of other versions.
    await Promise.race([webhooks?.start(), aborted(stop)]).catch((error: unknown) => {
      throw webhookProblem(error, options.webhookPort);
    });
    await checkOtherProviders(shell, client, options);
    return await untilStopped({ running, webhooks, stop, log });
  } finally {
    await webhooks?.stop();
    await health.close();
    await network.close();
  }
}

interface RunningParts {
  readonly running: Manager;
  readonly webhooks: WebhookServer | undefined;
  readonly stop: AbortSignal;
  readonly log: Logger;
}

/** Runs until SIGTERM or Ctrl-C, or until the Lease is lost. Then the process exits, and its supervisor, such as the kubelet, restarts it. */
async function untilStopped({ running, webhooks, stop, log }: RunningParts): Promise<number> {
  const lost = running
    .start()
    .then(() => running.held())
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  const ended = await Promise.race([aborted(stop).then(() => "stopped" as const), lost]);
  if (ended !== "stopped" && ended !== undefined) {
    log.error("Ending because the Lease is lost", { error: ended });
    return EXIT.failed;
  }
  log.info("Stopping");
  // Its watch would hold the connection open that the manager closes.
  webhooks?.detach();
  await running.stop();
  log.info("Stopped");
  return EXIT.done;
}

/** A feature of controllers that do not run would be offered by admission and never carried out. */
function refuseFeaturesWithoutEffect(features: Features, { controllers }: Selection): void {
  for (const [feature, names] of featuresWithoutEffect(features, controllers))
    throw new CommandError(
      `feature ${feature} is on, but none of its controllers runs: ${names.join(", ")}; switch it off, or name one of them in --controllers`,
    );
}

/** The certificate by which updaters recognise this manager; undefined without the flags. */
function clientCertificateFor(
  shell: Shell,
  { updaterClientCertificate: cert, updaterClientKey: key }: ManagerCommandOptions,
): { readonly cert: string; readonly key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new CommandError("--updater-client-certificate and --updater-client-key must be given together");
  return {
    cert: readGivenFile(shell, cert, "--updater-client-certificate"),
    key: readGivenFile(shell, key, "--updater-client-key"),
  };
}

function loggerFor({ env, err }: Shell, { logLevel, logFormat }: ManagerCommandOptions): Logger {
  return createLogger(env, logLevel, logFormat === "json" ? err : prettyLines(err));
}

/** Refuses to start if another provider reconciles the objects of the enabled controllers. */
async function checkOtherProviders(
  { env }: Shell,
  client: Client,
  options: ManagerCommandOptions,
): Promise<void> {
  const { takeOver, controllers } = options;
  if (takeOver) return;
  const { kinds } = selectionOf(controllers);
  const advice = "stop it and give --take-over, or choose other kinds with --controllers";
  await refuseOtherProviders({ client, clock: env.clock }, kinds, advice);
}

/** Without its namespace the manager can store neither the Lease nor the certificate, and would wait silently. */
async function checkNamespace(
  client: Client,
  { leaderElect, leaseNamespace, webhookPort }: ManagerCommandOptions,
): Promise<void> {
  if (!leaderElect && webhookPort === 0) return;
  if (await client.find(Namespace, { name: leaseNamespace })) return;
  // Only here: a manager that is installed has no permission to read Nodes of its own cluster, and needs none.
  await refuseWorkloadCluster(client, "");
  throw new CommandError(
    `there is no namespace ${leaseNamespace} for the Lease and the webhooks' certificate; run capstan init, or choose another with --lease-namespace`,
  );
}

interface WebhookParts {
  readonly running: Manager;
  readonly kube: Transport;
  readonly log: Logger;
  readonly features: Features;
}

/** The webhooks of this process, if they are enabled. */
function webhooksFor(
  { env }: Shell,
  { webhookPort, leaseNamespace }: ManagerCommandOptions,
  { running, kube, log, features }: WebhookParts,
): WebhookServer | undefined {
  if (webhookPort === 0) return undefined;
  return new WebhookServer({
    env,
    log,
    client: createClient({
      transport: kube,
      env,
      fieldManager: MANAGER_NAME,
      userAgent: `${MANAGER_NAME}/webhooks`,
    }),
    namespace: leaseNamespace,
    host: "0.0.0.0",
    port: webhookPort,
    features,
    metrics: running.runner.metrics,
    issue: (hosts) => issueServing(env, hosts),
    assertMayWrite: () => running.runner.assertMayWrite(),
  });
}

/** A serving certificate from a certificate authority whose key is discarded. */
async function issueServing(env: Env, hosts: readonly string[]): Promise<Issued> {
  // The embedded API server can issue certificates; it is loaded only when one is needed, about once a year.
  const { createAuthority, issueCertificate } = await import("@capstan/apiserver");
  const authority = await createAuthority(env);
  return { ca: authority.cert, ...(await issueCertificate(env, authority, { type: "server", hosts })) };
}

function webhookProblem(error: unknown, port: number): unknown {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") return error;
  return new CommandError(`port ${port} is in use; choose another with --webhook-port, or 0 for no webhooks`);
}

async function serveHealth(
  { runner }: Manager,
  address: string,
  probes: Omit<DiagnosticsOptions, "metrics">,
): Promise<ListeningServer> {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (port === "")
    throw new CommandError(`--health-addr ${address}: expected HOST:PORT or :PORT, such as :9440`);
  const handler = createDiagnostics({ ...probes, metrics: () => runner.metrics.print() });
  return serveHttp(handler, { host: host === "" ? "0.0.0.0" : host, port: Number(port) });
}
