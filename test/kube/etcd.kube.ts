/** The etcd adapter against real members of etcd over TLS, with certificates of our own issuer. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { issueCertificate } from "@capstan/apiserver";
import { createHttpTransport, createRealEnv, type Transport } from "@capstan/env";
import { x509Issuer } from "../../packages/manager/src/cluster-certificates/x509-issuer.ts";
import { etcdGateway as etcdClient } from "../../packages/manager/src/etcd/gateway.ts";
import type { Etcd } from "../../packages/manager/src/etcd/port.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubeAssets } from "./assets.ts";
import { freePort } from "./free-port.ts";

const env = createRealEnv();
const issuer = x509Issuer(env);
const folder = mkdtempSync(join(tmpdir(), "capstan-etcd-"));
const children: ChildProcess[] = [];
const ports: number[] = [];
const START_LIMIT_MS = 20_000;

interface Pair {
  readonly cert: string;
  readonly key: string;
}

let authority: Pair;
let client: Pair;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function connect(index: number, credential: Pair = client): Transport {
  return createHttpTransport({
    baseUrl: `https://127.0.0.1:${ports[index]}`,
    ca: authority.cert,
    ...credential,
  });
}

async function withMember<T>(index: number, use: (etcd: Etcd) => Promise<T>): Promise<T> {
  const etcd = etcdClient(connect(index), env);
  try {
    return await use(etcd);
  } finally {
    await etcd.close();
  }
}

beforeAll(async () => {
  const request = { algorithm: "ECDSA-P256", validDays: 1, nowMs: env.clock.now() } as const;
  authority = await issuer.authority(request);
  client = await issuer.client(authority, { ...request, user: "cluster-api.x-k8s.io", groups: [] });
  const server = await issueCertificate(env, authority, {
    type: "server",
    hosts: ["127.0.0.1", "localhost"],
  });
  const flags = [
    `--trusted-ca-file=${file("ca.crt", authority.cert)}`,
    `--cert-file=${file("server.crt", server.cert)}`,
    `--key-file=${file("server.key", server.key)}`,
    // The gateway of a member is a client of the member.
    `--client-cert-file=${file("client.crt", client.cert)}`,
    `--client-key-file=${file("client.key", client.key)}`,
    "--client-cert-auth=true",
    "--unsafe-no-fsync=true",
    "--initial-cluster-state=new",
  ];
  const peers = await Promise.all([freePort(), freePort(), freePort()]);
  ports.push(...(await Promise.all([freePort(), freePort(), freePort()])));
  const cluster = peers.map((port, index) => `node-${index}=http://127.0.0.1:${port}`).join(",");
  const { etcd } = kubeAssets((line) => console.log(line));
  for (const [index, peer] of peers.entries()) {
    const log = openSync(join(folder, `node-${index}.log`), "w");
    const urls = [
      `--name=node-${index}`,
      `--data-dir=${join(folder, `node-${index}`)}`,
      `--listen-client-urls=https://127.0.0.1:${ports[index]}`,
      `--advertise-client-urls=https://127.0.0.1:${ports[index]}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=${cluster}`,
    ];
    children.push(spawn(etcd, [...urls, ...flags], { stdio: ["ignore", log, log], cwd: folder }));
  }
  const untilMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      if ((await withMember(0, (etcd0) => etcd0.members())).length === 3) return;
    } catch (error) {
      if (performance.now() > untilMs) throw error;
    }
    await sleep(100);
  }
}, START_LIMIT_MS + 5000);

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

test("members, status and alarms are read, with ids as texts of uint64", async () => {
  const members = await withMember(0, (etcd) => etcd.members());
  expect(members.map(({ name }) => name).toSorted()).toEqual(["node-0", "node-1", "node-2"]);
  expect(members.every(({ id, isLearner }) => /^\d+$/.test(id) && !isLearner)).toBe(true);
  const { leader, memberId } = await withMember(1, (etcd) => etcd.status());
  const ids = members.map(({ id }) => id);
  expect(ids).toContain(leader);
  expect(members.find(({ name }) => name === "node-1")?.id).toBe(memberId);
  expect(await withMember(2, (etcd) => etcd.alarms())).toEqual(new Set());
});

test("the leader hands the leadership over, and another member refuses to", async () => {
  const members = await withMember(0, (etcd) => etcd.members());
  const { leader } = await withMember(0, (etcd) => etcd.status());
  const leading = members.findIndex(({ id }) => id === leader);
  const at = Number(members[leading]?.name.slice(-1));
  const next = members[(leading + 1) % members.length];
  await withMember(at, (etcd) => etcd.moveLeader(next?.id ?? ""));
  expect((await withMember(at, (etcd) => etcd.status())).leader).toBe(next?.id);
  await expect(withMember(at, (etcd) => etcd.moveLeader(leader ?? ""))).rejects.toThrow(
    "etcd refuses the request: etcdserver: not leader",
  );
});

test("an unstarted learner has no name, and can be removed twice", async () => {
  const raw = connect(0);
  const add = {
    method: "POST",
    path: "/v3/cluster/member/add",
    headers: { "content-type": "application/json" },
    body: { peerURLs: ["http://127.0.0.1:1"], isLearner: true },
  };
  // etcd accepts new members when its peers have been connected for five seconds.
  while ((await raw.request(add)).status !== 200) await sleep(250);
  await raw.close();
  const learner = (await withMember(0, (etcd) => etcd.members())).find(({ isLearner }) => isLearner);
  expect(learner).toMatchObject({ name: "", isLearner: true });
  await withMember(0, (etcd) => etcd.removeMember(learner?.id ?? ""));
  await withMember(0, (etcd) => etcd.removeMember(learner?.id ?? ""));
  expect(await withMember(0, (etcd) => etcd.members())).toHaveLength(3);
});

test("a client certificate of another authority is refused", async () => {
  const request = { algorithm: "ECDSA-P256", validDays: 1, nowMs: env.clock.now() } as const;
  const other = await issuer.authority(request);
  const stranger = await issuer.client(other, { ...request, user: "stranger", groups: [] });
  const etcd = etcdClient(connect(0, stranger), env);
  await expect(etcd.status()).rejects.toThrow("etcd does not answer");
  await etcd.close();
});

test("without a quorum the status is answered, and the list of members is not", async () => {
  children[1]?.kill("SIGKILL");
  children[2]?.kill("SIGKILL");
  expect((await withMember(0, (etcd) => etcd.status())).memberId).toMatch(/^\d+$/);
  await expect(withMember(0, (etcd) => etcd.members())).rejects.toThrow(/etcd (refuses|did not answer)/);
});
