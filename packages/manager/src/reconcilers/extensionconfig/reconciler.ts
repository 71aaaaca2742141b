import { durationProblem, ExtensionConfig, INJECT_CA_ANNOTATION } from "@capstan/api";
import {
  again,
  block,
  type Context,
  defineReconciler,
  Failure,
  next,
  type Outcome,
  type PassSummary,
  type Reconciler,
  terminal,
  waiting,
} from "@capstan/runtime";
import type { SecretPorts } from "@capstan/azure";
import { fromOlderConditions } from "@capstan/plan";
import { DISCOVERY_API, DISCOVERY_PATH, UPDATER_API } from "../../in-place/hooks/hook-api.ts";
import { readDiscovery } from "../../in-place/hooks/discovery.ts";
import {
  DISCOVERED,
  NEEDS_DRAIN_SETTING,
  UPDATE_TIMEOUT_SETTING,
  updaterOf,
} from "../../in-place/hooks/registry.ts";
import type { UpdaterPorts } from "../../in-place/hooks/updaters.ts";

/** The connections of the controller. */
export interface ExtensionConfigPorts {
  readonly updaters: Pick<UpdaterPorts, "hooks">;
  readonly readSecret: SecretPorts["readSecret"];
}

interface Scope {
  readonly context: Context<ExtensionConfig>;
  readonly ports: ExtensionConfigPorts;
}

const DISCOVERY_TIMEOUT_MS = 10_000;
// An extension may get other handlers with a new release, which no event reports.
const REDISCOVER_MS = 10 * 60_000;
const SECRET_POLL_MS = 60_000;

const UPDATER_READY = "UpdaterReady";
const CONDITIONS = [
  { type: DISCOVERED, reasons: { True: DISCOVERED, False: "NotDiscovered", Unknown: "NotDiscovered" } },
  { type: UPDATER_READY },
];

/** Asks extensions which hooks they implement, and copies their certificate authority from a Secret if a user asks for it. */
export function extensionConfigReconciler(ports: ExtensionConfigPorts): Reconciler {
  return defineReconciler<ExtensionConfig, Scope>({
    name: "extensionconfig",
    for: ExtensionConfig,
    condition: DISCOVERED,
    resyncMs: REDISCOVER_MS,
    scope: (context) => ({ context, ports }),
    normal: [injectAuthority, checkSettings, discover],
    status: (_: Scope, { claimReady }: PassSummary) => claimReady(),
    standardConditions: (config) => fromOlderConditions(config, CONDITIONS),
  });
}

/** Copies `ca.crt` of the Secret that the annotation names. */
async function injectAuthority({ context, ports }: Scope): Promise<Outcome> {
  const { metadata, spec } = context.object;
  const source = metadata.annotations?.[INJECT_CA_ANNOTATION];
  if (source === undefined) return next;
  const secret = secretNamed(source, spec.clientConfig.service?.namespace);
  const authority = await authorityIn(secret, ports).catch((error: unknown) => {
    throw notDiscovered(error);
  });
  if (spec.clientConfig.caBundle === authority) return again(SECRET_POLL_MS, "WatchingSecret");
  spec.clientConfig.caBundle = authority;
  return block(0, "InjectingAuthority");
}

/** The Secret that the annotation names. Beside a Service, only Secrets of its namespace are read. */
function secretNamed(source: string, allowed: string | undefined): SecretName {
  const [namespace = "", name = "", ...rest] = source.split("/");
  if (namespace === "" || name === "" || rest.length > 0) {
    const problem = `the annotation ${INJECT_CA_ANNOTATION} is ${JSON.stringify(source)}; expected NAMESPACE/NAME`;
    throw terminal("NotDiscovered", problem);
  }
  if (allowed === undefined || namespace === allowed) return { namespace, name };
  const problem = `the annotation ${INJECT_CA_ANNOTATION} names Secret ${source}, but only Secrets of ${allowed}, the namespace of the Service, are read; copy the Secret there`;
  throw terminal("NotDiscovered", problem);
}

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** The certificates in a Secret, in base64. Readers of the ExtensionConfig read them, so nothing else is copied. */
async function authorityIn(
  { namespace, name }: SecretName,
  { readSecret }: ExtensionConfigPorts,
): Promise<string> {
  const secret = await readSecret(namespace, name);
  const authority = secret?.data?.["ca.crt"];
  if (authority !== undefined && isCertificates(authority)) return authority;
  const problem = secret ? "has no PEM certificate in ca.crt; add it" : "does not exist; create it";
  const message = `Secret ${namespace}/${name} ${problem}, or correct the annotation ${INJECT_CA_ANNOTATION}`;
  throw waiting("NotDiscovered", message, SECRET_POLL_MS);
}

function isCertificates(base64: string): boolean {
  const text = Buffer.from(base64, "base64").toString("utf8");
  return text.includes("-----BEGIN CERTIFICATE-----") && !text.includes("PRIVATE KEY-----");
}

function checkSettings({ context }: Scope): Outcome {
  const { [UPDATE_TIMEOUT_SETTING]: timeout, [NEEDS_DRAIN_SETTING]: drain = "false" } =
    context.object.spec.settings ?? {};
  if (drain !== "true" && drain !== "false")
    throw terminal(
      "NotDiscovered",
      `spec.settings.${NEEDS_DRAIN_SETTING} is ${JSON.stringify(drain)}: expected "true" or "false"`,
    );
  const problem = timeout === undefined ? undefined : durationProblem(timeout);
  if (problem === undefined) return next;
  const message = `spec.settings.${UPDATE_TIMEOUT_SETTING} is ${JSON.stringify(timeout)}: ${problem}`;
  throw terminal("NotDiscovered", message);
}

async function discover({ context, ports }: Scope): Promise<Outcome> {
  const { object: config } = context;
  try {
    const body = await ports.updaters.hooks.call({
      config,
      hook: "Discovery",
      path: DISCOVERY_PATH,
      body: { apiVersion: DISCOVERY_API, kind: "DiscoveryRequest" },
      timeoutMs: DISCOVERY_TIMEOUT_MS,
    });
    config.status = { ...config.status, handlers: readDiscovery(body, config.metadata.name) };
  } catch (error) {
    throw notDiscovered(error);
  }
  context.setCondition({ type: DISCOVERED, status: "True", reason: DISCOVERED });
  reportUse(context);
  return next;
}

/** An extension that is discovered but never called looks like one that works. */
function reportUse(context: Context<ExtensionConfig>): void {
  const { object: config } = context;
  const type = UPDATER_READY;
  if (updaterOf(config)) {
    context.setCondition({ type, status: "True", reason: "UpdaterReady" });
    return;
  }
  const message = `The extension does not implement CanUpdateMachine and UpdateMachine of ${UPDATER_API} or of ${DISCOVERY_API}, so no controller calls it`;
  context.setCondition({ type, status: "False", severity: "Info", reason: "NotAnUpdater", message });
}

/**
 * The condition has Cluster API's reason for every failure. Known handlers stay in the status, but a condition that is not
 * True keeps controllers from calling them.
 */
function notDiscovered(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { failure, message, retryAfterMs } = error;
  const retry = { ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return new Failure(failure, "NotDiscovered", { message, cause: error, ...retry });
}
