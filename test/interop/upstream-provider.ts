/** A provider of Cluster API beside a kube-apiserver: its package, with webhooks that are reached by addresses instead of Services. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { parseAllDocuments } from "yaml";
import type { ControlPlane } from "../kube/control-plane.ts";
import { freePort } from "../kube/free-port.ts";
import { clusterApiFolder, interopProgram } from "./programs.ts";
import { writeServerCertificates } from "./server-certificates.ts";
import { waitFor } from "./wait.ts";

/** The folders of the providers in the sources of Cluster API, by the names of their programs. */
const FOLDERS = {
  core: "core",
  bootstrap: "bootstrap/kubeadm",
  controlplane: "controlplane/kubeadm",
} as const;

/** The name of a provider's program. */
export type ProviderName = keyof typeof FOLDERS;

/** What a provider needs in a management cluster. */
export interface UpstreamProvider {
  /** Its CRDs and webhook configurations, with the address of its webhooks. */
  readonly manifests: readonly JsonObject[];
  /** An object of its package, with the address of its webhooks if it names them. */
  readonly addressed: (object: JsonObject) => JsonObject;
  /** Starts the manager, and waits until its webhooks answer. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The end of its log. */
  log(): string;
}

/** Where a provider runs. */
export interface UpstreamOptions {
  readonly plane: ControlPlane;
  /** For its files. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly flags?: readonly string[];
}

const READY_MS = 120_000;
const TAIL = 30;
const LONGEST_OUTPUT = 16 * 1024 * 1024;

/** The package of a provider, as kustomize makes it of its sources; clusterctl's variables are left as they are. */
export function packageOf(name: ProviderName, { kubectl }: Pick<ControlPlane, "kubectl">): string {
  const source = join(clusterApiFolder(), FOLDERS[name], "config", "default");
  return execFileSync(kubectl, ["kustomize", source], { encoding: "utf8", maxBuffer: LONGEST_OUTPUT });
}

/** Prepares a provider: its certificates, and its manifests with the address of its webhooks. */
export async function upstreamProvider(
  name: ProviderName,
  { plane, folder, say, flags = [] }: UpstreamOptions,
): Promise<UpstreamProvider> {
  const program = interopProgram(name, say);
  const [webhookPort, healthPort] = await Promise.all([freePort(), freePort()]);
  const certificates = join(folder, `${name}-certificates`);
  const authority = await writeServerCertificates(certificates, "127.0.0.1");
  const logFile = join(folder, `${name}.log`);
  const args = [
    `--kubeconfig=${plane.kubeconfig}`,
    `--webhook-port=${webhookPort}`,
    `--webhook-cert-dir=${certificates}`,
    `--health-addr=127.0.0.1:${healthPort}`,
    "--diagnostics-address=127.0.0.1:0",
    "--insecure-diagnostics",
    ...flags,
  ];
  const log = (): string => readFileSync(logFile, "utf8").split("\n").slice(-TAIL).join("\n");
  const webhooks = {
    base: `https://127.0.0.1:${webhookPort}`,
    caBundle: Buffer.from(authority).toString("base64"),
  };
  const addressed = (object: JsonObject): JsonObject => addressedBy(webhooks, object);
  let child: ChildProcess | undefined;
  return {
    manifests: manifestsIn(packageOf(name, plane)).filter(isServed).map(addressed),
    addressed,
    start: async () => {
      const output = openSync(logFile, "a");
      const started = spawn(program, args, { stdio: ["ignore", output, output] });
      child = started;
      const isReady = await waitFor(READY_MS, async () => {
        if (started.exitCode !== null) throw new Error(`${name} ended with ${started.exitCode}:\n${log()}`);
        return await fetch(`http://127.0.0.1:${healthPort}/readyz`).then(
          ({ ok }) => ok || undefined,
          () => undefined,
        );
      });
      if (isReady === undefined)
        throw new Error(`${name} was not ready after ${READY_MS / 1000} s:\n${log()}`);
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

/** The objects of a text. */
function manifestsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isJsonObject);
}

/** Whether an object changes what the API server serves or asks; the manager itself runs as a process. */
function isServed({ kind }: JsonObject): boolean {
  return kind === "CustomResourceDefinition" || String(kind).endsWith("WebhookConfiguration");
}

interface Webhooks {
  readonly base: string;
  readonly caBundle: string;
}

interface ClientConfig {
  readonly service?: { readonly path?: string };
}

function addressedBy({ base, caBundle }: Webhooks, object: JsonObject): JsonObject {
  const asked = (clientConfig: ClientConfig): JsonObject => ({
    url: `${base}${clientConfig.service?.path ?? ""}`,
    caBundle,
  });
  const { webhooks, spec } = object;
  if (Array.isArray(webhooks))
    return {
      ...object,
      webhooks: (webhooks as readonly JsonObject[]).map((webhook) => ({
        ...webhook,
        clientConfig: asked(webhook["clientConfig"] as ClientConfig),
      })),
    };
  const conversion = isJsonObject(spec) ? spec["conversion"] : undefined;
  if (!isJsonObject(spec) || !isJsonObject(conversion) || !isJsonObject(conversion["webhook"])) return object;
  const webhook = {
    ...conversion["webhook"],
    clientConfig: asked(conversion["webhook"]["clientConfig"] as ClientConfig),
  };
  return { ...object, spec: { ...spec, conversion: { ...conversion, webhook } } };
}
