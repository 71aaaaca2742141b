/** Three real members of etcd over TLS, with certificates of our own issuer. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Credential, issueCertificate } from "@capstan/apiserver";
import { createHttpTransport, createRealEnv } from "@capstan/env";
import { x509Issuer } from "../../packages/manager/src/cluster-certificates/x509-issuer.ts";
import { kubeAssets } from "./assets.ts";
import { freePort } from "./free-port.ts";

const env = createRealEnv();
const START_LIMIT_MS = 60_000;
const COUNT = 3;

/** Members node-0, node-1 and node-2 on loopback. */
export interface EtcdMembers {
  readonly authority: Credential;
  /** The certificate of a client. */
  readonly client: Credential;
  /** Where each member listens for clients. */
  readonly ports: readonly number[];
  kill(index: number): void;
  stop(): Promise<void>;
}

/** The name of a member, which its certificate has, too. */
export const memberName = (index: number): string => `node-${index}`;

/** Starts the members, and waits until they have elected a leader. */
export async function startEtcdMembers(): Promise<EtcdMembers> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-etcd-"));
  const issuer = x509Issuer(env);
  const request = { algorithm: "ECDSA-P256", validDays: 1, nowMs: env.clock.now() } as const;
  const authority = await issuer.authority(request);
  const client = await issuer.client(authority, { ...request, user: "cluster-api.x-k8s.io", groups: [] });
  const peers = await Promise.all(Array.from({ length: COUNT }, freePort));
  const ports = await Promise.all(Array.from({ length: COUNT }, freePort));
  const files = new CertificateFiles(folder, { authority, client });
  const { etcd } = kubeAssets((line) => console.log(line));
  const cluster = peers.map((port, index) => `${memberName(index)}=http://127.0.0.1:${port}`).join(",");
  const children: ChildProcess[] = [];
  for (const [index, peer] of peers.entries()) {
    const name = memberName(index);
    const log = openSync(join(folder, `${name}.log`), "w");
    const flags = [
      `--name=${name}`,
      `--data-dir=${join(folder, name)}`,
      `--listen-client-urls=https://127.0.0.1:${ports[index]}`,
      `--advertise-client-urls=https://127.0.0.1:${ports[index]}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=${cluster}`,
      "--unsafe-no-fsync=true",
      "--initial-cluster-state=new",
      ...(await files.flagsFor(name)),
    ];
    children.push(spawn(etcd, flags, { stdio: ["ignore", log, log], cwd: folder }));
  }
  await listening(ports[0] ?? 0, { authority, client });
  return {
    authority,
    client,
    ports,
    kill: (index) => void children[index]?.kill("SIGKILL"),
    stop: async () => {
      await Promise.all(children.map(gone));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Credentials = Pick<EtcdMembers, "authority" | "client">;

class CertificateFiles {
  readonly #folder: string;
  readonly #credentials: Credentials;

  constructor(folder: string, credentials: Credentials) {
    this.#folder = folder;
    this.#credentials = credentials;
  }

  async flagsFor(name: string): Promise<readonly string[]> {
    const { authority, client } = this.#credentials;
    const hosts = [name, "127.0.0.1", "localhost"];
    const server = await issueCertificate(env, authority, { type: "server", hosts });
    return [
      `--trusted-ca-file=${this.#file("ca.crt", authority.cert)}`,
      `--cert-file=${this.#file(`${name}.crt`, server.cert)}`,
      `--key-file=${this.#file(`${name}.key`, server.key)}`,
      // The gateway of a member is a client of the member.
      `--client-cert-file=${this.#file("client.crt", client.cert)}`,
      `--client-key-file=${this.#file("client.key", client.key)}`,
      "--client-cert-auth=true",
    ];
  }

  #file(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    return path;
  }
}

/** Waits until a linearizable list of members is answered. */
async function listening(port: number, { authority, client }: Credentials): Promise<void> {
  const transport = createHttpTransport({
    baseUrl: `https://127.0.0.1:${port}`,
    ca: authority.cert,
    ...client,
  });
  const request = {
    method: "POST",
    path: "/v3/cluster/member/list",
    headers: { "content-type": "application/json" },
    body: { linearizable: true },
  };
  const untilMs = performance.now() + START_LIMIT_MS;
  try {
    for (;;) {
      const status = await transport.request(request).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) return;
      if (performance.now() > untilMs) throw new Error(`etcd does not answer after ${START_LIMIT_MS} ms`);
      await sleep(100);
    }
  } finally {
    await transport.close();
  }
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await ended;
}
