/** Cluster API's core manager beside a kube-apiserver: its CRDs and webhooks, reached by addresses instead of Services. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { parse, parseAllDocuments } from "yaml";
import type { ControlPlane } from "../kube/control-plane.ts";
import { freePort } from "../kube/free-port.ts";
import { clusterApiFolder } from "./programs.ts";
import { waitFor } from "./wait.ts";

/** What upstream's core needs in a management cluster. */
export interface UpstreamCore {
  /** The manifests of its CRDs and webhook configurations. */
  readonly manifests: readonly JsonObject[];
  /** Starts the manager, and waits until its webhooks answer. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The end of its log. */
  log(): string;
}

const READY_MS = 120_000;
const TAIL = 30;

/** Prepares upstream's core: its certificates, and its manifests with the address of its webhooks. */
export async function upstreamCore({
  program,
  plane,
  folder,
}: {
  readonly program: string;
  readonly plane: ControlPlane;
  /** For its files. */
  readonly folder: string;
}): Promise<UpstreamCore> {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const [webhookPort, healthPort] = await Promise.all([freePort(), freePort()]);
  const certificates = join(folder, "core-certificates");
  mkdirSync(certificates);
  writeFileSync(join(certificates, "tls.crt"), tls.cert);
  writeFileSync(join(certificates, "tls.key"), tls.key, { mode: 0o600 });
  const logFile = join(folder, "core.log");
  let child: ChildProcess | undefined;
  const args = [
    `--kubeconfig=${plane.kubeconfig}`,
    `--webhook-port=${webhookPort}`,
    `--webhook-cert-dir=${certificates}`,
    `--health-addr=127.0.0.1:${healthPort}`,
    "--diagnostics-address=127.0.0.1:0",
    "--insecure-diagnostics",
  ];
  const log = (): string => readFileSync(logFile, "utf8").split("\n").slice(-TAIL).join("\n");
  return {
    manifests: manifestsOf({
      base: `https://127.0.0.1:${webhookPort}`,
      caBundle: Buffer.from(authority.cert).toString("base64"),
    }),
    start: async () => {
      const output = openSync(logFile, "a");
      const started = spawn(program, args, { stdio: ["ignore", output, output] });
      child = started;
      const isReady = await waitFor(READY_MS, async () => {
        if (started.exitCode !== null) throw new Error(`core ended with ${started.exitCode}:\n${log()}`);
        return await fetch(`http://127.0.0.1:${healthPort}/readyz`).then(
          ({ ok }) => ok || undefined,
          () => undefined,
        );
      });
      if (isReady === undefined) throw new Error(`core was not ready after ${READY_MS / 1000} s:\n${log()}`);
    },
    stop: async () => {
      if (!child || child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    log,
  };
}

interface Webhooks {
  readonly base: string;
  readonly caBundle: string;
}

function manifestsOf(webhooks: Webhooks): readonly JsonObject[] {
  const config = join(clusterApiFolder(), "core", "config");
  const bases = join(config, "crd", "bases");
  const definitions = readdirSync(bases).map((file) =>
    convertedBy(webhooks, parse(readFileSync(join(bases, file), "utf8")) as JsonObject),
  );
  const text = readFileSync(join(config, "webhook", "manifests.yaml"), "utf8");
  const configurations = parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isJsonObject)
    .map((configuration) => addressed(webhooks, configuration));
  return [...definitions, ...configurations];
}

function convertedBy({ base, caBundle }: Webhooks, definition: JsonObject): JsonObject {
  const spec = definition["spec"] as JsonObject;
  const clientConfig = { url: `${base}/convert`, caBundle };
  const webhook = { conversionReviewVersions: ["v1"], clientConfig };
  return { ...definition, spec: { ...spec, conversion: { strategy: "Webhook", webhook } } };
}

function addressed({ base, caBundle }: Webhooks, configuration: JsonObject): JsonObject {
  const webhooks = (configuration["webhooks"] as readonly JsonObject[]).map((webhook) => {
    const { service } = webhook["clientConfig"] as { readonly service: { readonly path: string } };
    return { ...webhook, clientConfig: { url: `${base}${service.path}`, caBundle } };
  });
  return { ...configuration, webhooks };
}
