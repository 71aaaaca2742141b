/** The etcd adapter against real members of etcd over TLS. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Credential } from "@capstan/apiserver";
import { createHttpTransport, createRealEnv, type Transport } from "@capstan/env";
import { x509Issuer } from "../../packages/manager/src/cluster-certificates/x509-issuer.ts";
import { etcdGateway as etcdClient } from "../../packages/manager/src/etcd/gateway.ts";
import type { Etcd } from "../../packages/manager/src/etcd/port.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EtcdMembers, startEtcdMembers } from "./etcd-members.ts";

const env = createRealEnv();
const issuer = x509Issuer(env);

let members: EtcdMembers;

function connect(index: number, credential: Credential = members.client): Transport {
  return createHttpTransport({
    baseUrl: `https://127.0.0.1:${members.ports[index]}`,
    ca: members.authority.cert,
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
  members = await startEtcdMembers();
});
afterAll(() => members.stop());

test("members, status and alarms are read, with ids as texts of uint64", async () => {
  const listed = await withMember(0, (etcd) => etcd.members());
  expect(listed.map(({ name }) => name).toSorted()).toEqual(["node-0", "node-1", "node-2"]);
  expect(listed.every(({ id, isLearner }) => /^\d+$/.test(id) && !isLearner)).toBe(true);
  const { leader, memberId } = await withMember(1, (etcd) => etcd.status());
  const ids = listed.map(({ id }) => id);
  expect(ids).toContain(leader);
  expect(listed.find(({ name }) => name === "node-1")?.id).toBe(memberId);
  expect(await withMember(2, (etcd) => etcd.alarms())).toEqual(new Set());
});

test("the leader hands the leadership over, and another member refuses to", async () => {
  const listed = await withMember(0, (etcd) => etcd.members());
  const { leader } = await withMember(0, (etcd) => etcd.status());
  const leading = listed.findIndex(({ id }) => id === leader);
  const at = Number(listed[leading]?.name.slice(-1));
  const next = listed[(leading + 1) % listed.length];
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
  members.kill(1);
  members.kill(2);
  expect((await withMember(0, (etcd) => etcd.status())).memberId).toMatch(/^\d+$/);
  await expect(withMember(0, (etcd) => etcd.members())).rejects.toThrow(/etcd (refuses|did not answer)/);
});
