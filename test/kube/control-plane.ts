import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "@capstan/api";
import { createHttpTransport, type Transport } from "@capstan/env";
import { kubeAssets, type KubeAssets } from "./assets.ts";
import { freePort } from "./free-port.ts";

/** A real control plane on loopback. */
export interface ControlPlane {
  readonly url: string;
  /** The certificate to trust. */
  readonly ca: string;
  /** The token of the administrator. */
  readonly adminToken: string;
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** Sends requests as the administrator. */
  connect(): Transport;
  /** Stores an object as it is, as if an earlier release of its kind had: under its resource, such as `group/plural`. */
  store(resource: string, object: KubernetesObject): Promise<void>;
  /** Where the requests of users are noted, a line of JSON each, when that was asked for. */
  readonly auditLog: string;
  /** The processes of the server and its store, for whoever measures them. */
  readonly pids: readonly number[];
  /** From the start of the first process until it was ready. */
  readonly startedAfterMs: number;
  stop(): Promise<void>;
}

/** Somebody besides the administrator, without any rights at first. */
export interface TokenUser {
  readonly name: string;
  readonly token: string;
}

const START_LIMIT_MS = 60_000;
// What a Cluster API management cluster needs; everything else would only write into our tests.
const CONTROLLERS = [
  "garbage-collector-controller",
  "namespace-controller",
  "disruption-controller",
  "serviceaccount-controller",
  "clusterrole-aggregation-controller",
];

/** Starts etcd, kube-apiserver and a controller manager cut down to garbage collection and its like. */
export async function startControlPlane({
  users = [],
  durable = false,
  audit = false,
  egress,
}: {
  readonly users?: readonly TokenUser[];
  /** Writes are safe on disk before they are answered; tests do not need that. */
  readonly durable?: boolean;
  /** Notes who asked for what, without bodies. */
  readonly audit?: boolean;
  /** The socket of a proxy by which the server reaches Services: there is no network of pods here. */
  readonly egress?: string | undefined;
} = {}): Promise<ControlPlane> {
  const beganMs = performance.now();
  const assets = kubeAssets((line) => console.log(line));
  const folder = mkdtempSync(join(tmpdir(), "capstan-kube-"));
  const children: ChildProcess[] = [];
  const run = (program: keyof KubeAssets, args: readonly string[]): void => {
    const log = openSync(join(folder, `${program}.log`), "w");
    children.push(spawn(assets[program], args, { stdio: ["ignore", log, log], cwd: folder }));
  };
  try {
    const [client, peer, secure] = await Promise.all([freePort(), freePort(), freePort()]);
    const token = writeCredentials(folder, users);
    run("etcd", [...etcdFlags(folder, client, peer), `--unsafe-no-fsync=${!durable}`]);
    run("kube-apiserver", [
      ...apiserverFlags(folder, client, secure),
      ...(audit ? auditFlags(folder) : []),
      ...(egress === undefined ? [] : egressFlags(folder, egress)),
    ]);
    const url = `https://127.0.0.1:${secure}`;
    const connect = (): Transport => connectAs(token, { url, ca: certificate(folder) });
    await ready(connect, { children, log: join(folder, "kube-apiserver.log") });
    const startedAfterMs = performance.now() - beganMs;
    const pids = children.map(({ pid }) => pid ?? 0);
    const kubeconfig = writeKubeconfig(folder, url, token);
    run("kube-controller-manager", controllerManagerFlags(folder, kubeconfig));
    return {
      url,
      ca: certificate(folder),
      adminToken: token,
      kubectl: assets.kubectl,
      kubeconfig,
      connect,
      store: (resource, object) => store(`http://127.0.0.1:${client}`, resource, object),
      auditLog: join(folder, AUDIT_LOG),
      pids,
      startedAfterMs,
      stop: () => stop(children, folder),
    };
  } catch (error) {
    await stop(children, folder);
    throw error;
  }
}

async function store(etcd: string, resource: string, object: KubernetesObject): Promise<void> {
  const { namespace, name, resourceVersion: _, ...metadata } = object.metadata;
  const place = [resource, ...(namespace === undefined ? [] : [namespace]), name].join("/");
  const kept = { ...metadata, name, ...(namespace !== undefined && { namespace }) };
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const value = base64(JSON.stringify({ ...object, metadata: kept }));
  const body = JSON.stringify({ key: base64(`/registry/${place}`), value });
  const answer = await fetch(`${etcd}/v3/kv/put`, { method: "POST", body });
  if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`);
}

function etcdFlags(folder: string, client: number, peer: number): string[] {
  const clientUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  return [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ];
}

function apiserverFlags(folder: string, etcd: number, secure: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--cert-dir=${join(folder, "certificates")}`,
    `--secure-port=${secure}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
    "--disable-admission-plugins=ServiceAccount",
    `--service-account-issuer=https://127.0.0.1:${secure}/`,
    `--service-account-key-file=${join(folder, "service-account.key")}`,
    `--service-account-signing-key-file=${join(folder, "service-account.key")}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    `--authentication-config=${join(folder, "authentication.json")}`,
  ];
}

const AUDIT_LOG = "audit.jsonl";

function auditFlags(folder: string): string[] {
  const policy = join(folder, "audit-policy.json");
  const rules = [{ level: "Metadata", omitStages: ["RequestReceived"] }];
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, AUDIT_LOG)}`];
}

/** Connections to Services go through a proxy that is asked by CONNECT. */
function egressFlags(folder: string, udsName: string): string[] {
  const file = join(folder, "egress.json");
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName } } };
  const configuration = {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection }],
  };
  writeFileSync(file, JSON.stringify(configuration));
  return [`--egress-selector-config-file=${file}`];
}

function controllerManagerFlags(folder: string, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${CONTROLLERS.join(",")}`,
    "--leader-elect=false",
    "--secure-port=0",
    `--service-account-private-key-file=${join(folder, "service-account.key")}`,
  ];
}

/** What anybody may ask without a credential; everything else is refused with 401, as by the embedded server. */
const OPEN_PATHS = ["/livez", "/readyz", "/version"];

/** A token for the administrator, those of the other users, and the key that signs service account tokens. */
function writeCredentials(folder: string, users: readonly TokenUser[]): string {
  mkdirSync(join(folder, "certificates"));
  const token = randomBytes(16).toString("hex");
  const lines = users.map((user) => `${user.token},${user.name},${user.name}\n`);
  writeFileSync(join(folder, "tokens.csv"), `${token},admin,admin,"system:masters"\n${lines.join("")}`, {
    mode: 0o600,
  });
  const authentication = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    anonymous: { enabled: true, conditions: OPEN_PATHS.map((path) => ({ path })) },
  };
  writeFileSync(join(folder, "authentication.json"), JSON.stringify(authentication));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "service-account.key"), privateKey.export({ type: "pkcs8", format: "pem" }), {
    mode: 0o600,
  });
  return token;
}

/** The certificate that kube-apiserver has made and signed itself at its first start. */
function certificate(folder: string): string {
  return readFileSync(join(folder, "certificates", "apiserver.crt"), "utf8");
}

function connectAs(token: string, { url, ca }: { url: string; ca: string }): Transport {
  const transport = createHttpTransport({ baseUrl: url, ca });
  return {
    request: (request) =>
      transport.request({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    close: () => transport.close(),
  };
}

function writeKubeconfig(folder: string, server: string, token: string): string {
  const path = join(folder, "kubeconfig");
  const ca = Buffer.from(certificate(folder)).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin", namespace: "default" } }],
    "current-context": "test",
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

interface Startup {
  readonly children: readonly ChildProcess[];
  readonly log: string;
}

async function ready(connect: () => Transport, { children, log }: Startup): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    const dead = children.find(({ exitCode }) => exitCode !== null);
    if (dead)
      throw new Error(
        `${dead.spawnfile} ended with ${dead.exitCode}; the log of the server ends:\n${tail(log)}`,
      );
    try {
      const transport = connect();
      const answer = await transport.request({ method: "GET", path: "/readyz", headers: {} });
      await answer.text();
      await transport.close();
      if (answer.status === 200) return;
    } catch {
      // Not listening yet, or its certificate is not written yet.
    }
    if (performance.now() > limit) {
      throw new Error(
        `kube-apiserver was not ready after ${START_LIMIT_MS / 1000} s; its log ends:\n${tail(log)}`,
      );
    }
    await sleep(100);
  }
}

function tail(path: string): string {
  return readFileSync(path, "utf8").split("\n").slice(-20).join("\n");
}

async function stop(children: readonly ChildProcess[], folder: string): Promise<void> {
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.pid === undefined) return resolve();
          child.once("exit", () => resolve());
          child.kill("SIGKILL");
        }),
    ),
  );
  rmSync(folder, { recursive: true, force: true });
}
