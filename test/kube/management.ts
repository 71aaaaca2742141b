import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { BASH_FLAGS } from "../journeys/bash.ts";
import { type Ended, launch, type Running } from "../journeys/capstan.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { freePort } from "./free-port.ts";
import { type QuickAzure, startQuickAzure } from "./quick-azure.ts";
import { startServiceRoute } from "./service-route.ts";

/** Runs a program to its end and gives what it says, on standard error too. */
type Run = (...args: string[]) => Promise<string>;

/** A management cluster with a real kube-apiserver, a simulated Azure beside it, and the bundle to be run on both. */
export interface Management<A extends ServedAzure = QuickAzure> {
  /** For files of the test; it goes with the rest. */
  readonly folder: string;
  readonly plane: ControlPlane;
  readonly client: Client;
  /** Runs the bundle from a folder where nothing else is. */
  readonly capstan: (...args: string[]) => Promise<Ended>;
  /** Runs kubectl as the administrator. */
  readonly kubectl: Run;
  /** Applies manifests as the administrator. */
  readonly apply: (manifests: string) => Promise<string>;
  /** Starts a manager that is the ServiceAccount of the installation; it asks the given server instead of kube-apiserver. */
  readonly startManager: (server?: Pick<ControlPlane, "url" | "ca">) => Promise<RunningManager>;
  readonly azure: A;
  /** Runs the commands of a section of docs/how-to/management-cluster.md as they stand there. */
  readonly page: (heading: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** A manager in a process of its own. */
export interface RunningManager extends Running {
  readonly healthUrl: string;
}

const runFile = promisify(execFile);
// All of our CRDs.
const LONGEST_OUTPUT = 16 * 1024 * 1024;

/** A simulated Azure, in this process or another one. */
export type ServedAzure = Pick<QuickAzure, "endpoint" | "ca" | "stop">;

/** What the management cluster is started with. */
export interface ManagementOptions<A extends ServedAzure> {
  /** Starts the simulated Azure, perhaps with the bundle. */
  readonly startAzure: (program: string) => Promise<A>;
  /** Flags for the manager, besides those that say where things are. */
  readonly managerFlags?: readonly string[];
}

/** Builds the bundle and starts all of it, with a simulated Azure in this process. */
export function startManagement(): Promise<Management> {
  return startManagementWith({ startAzure: startQuickAzure });
}

/** Builds the bundle and starts all of it. */
export async function startManagementWith<A extends ServedAzure>({
  startAzure,
  managerFlags = [],
}: ManagementOptions<A>): Promise<Management<A>> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-management-"));
  const program = join(folder, "capstan.mjs");
  // A folder of its own: another test may build its bundle at the same time.
  execFileSync(process.execPath, ["tools/bundle.ts", folder]);
  // The managers run beside kube-apiserver and not in pods; it reaches those that are ready by their Service.
  const webhooks = await startServiceRoute(join(folder, "services.sock"));
  const plane = await startControlPlane({ audit: true, egress: webhooks.socket });
  const capstan = (...args: string[]): Promise<Ended> => launch(args, { program }).ended;
  const azure = await startAzure(program);
  const kubectl: Run = async (...args) => {
    const command = ["--kubeconfig", plane.kubeconfig, ...args];
    const { stdout, stderr } = await runFile(plane.kubectl, command, { maxBuffer: LONGEST_OUTPUT });
    return stdout + stderr;
  };
  return {
    folder,
    plane,
    client: createClient({ transport: plane.connect(), env: createRealEnv(), fieldManager: "test" }),
    capstan,
    kubectl,
    apply: async (manifests) => {
      const file = join(folder, "manifests.yaml");
      writeFileSync(file, manifests);
      return await kubectl("apply", "-f", file);
    },
    startManager: async (server = plane) => {
      const health = `127.0.0.1:${await freePort()}`;
      const webhookPort = await freePort();
      const isReady = async (): Promise<boolean> => (await fetch(`http://${health}/readyz`)).ok;
      webhooks.endpoints.push({ port: webhookPort, isReady });
      const flags = {
        kubeconfig: await serviceAccountConfig(folder, server, kubectl),
        "azure-endpoint": azure.endpoint,
        "azure-ca": azure.ca,
        "health-addr": health,
        "webhook-port": webhookPort,
        "log-level": "debug",
      };
      const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
      return { ...launch(["manager", ...args, ...managerFlags], { program }), healthUrl: `http://${health}` };
    },
    azure,
    page: (heading) => runPage(folder, plane, heading),
    stop: async () => {
      await azure.stop();
      await plane.stop();
      await webhooks.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runPage(
  folder: string,
  { kubectl, kubeconfig }: ControlPlane,
  heading: string,
): Promise<string> {
  const text = readFileSync("docs/how-to/management-cluster.md", "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const script = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join("");
  if (script === "") throw new Error(`the page has no commands below "${heading}"`);
  const PATH = [dirname(kubectl), join("node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  // What the first section exports is there in the others.
  const IMAGE = /^export IMAGE=(.*)$/m.exec(text)?.[1];
  const env = { ...process.env, PATH, IMAGE, KUBECONFIG: kubeconfig, HOME: folder };
  const { stdout, stderr } = await runFile("bash", [...BASH_FLAGS, "-euo", "pipefail", "-c", script], {
    env,
  });
  return stdout + stderr;
}

/** A kubeconfig of the manager's ServiceAccount, with a token as its pods have it. */
async function serviceAccountConfig(
  folder: string,
  { url, ca }: Pick<ControlPlane, "url" | "ca">,
  kubectl: Run,
): Promise<string> {
  const token = await kubectl("create", "token", "capstan-manager", "-n", "capstan-system");
  const path = join(folder, "manager.kubeconfig");
  const cluster = { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "manager", user: { token: token.trim() } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "manager" } }],
    "current-context": "test",
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

/** A request in the audit log of kube-apiserver, as far as we look at it. */
export interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly responseStatus?: { readonly code: number };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

/** What a user has asked a server for. */
export function requestsOf({ auditLog }: ControlPlane, username: string): AuditEvent[] {
  return readFileSync(auditLog, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ user }) => user.username === username);
}

const EVENTUALLY_MS = 90_000;

/** Looks until it holds; fails as it did last when that takes too long. */
export async function eventually(
  assertion: () => Promise<void>,
  withinMs: number = EVENTUALLY_MS,
): Promise<void> {
  const limitMs = performance.now() + withinMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > limitMs) throw error;
      await sleep(100);
    }
  }
}
