/** The way to etcd that `capstan manager` has: through a real kube-apiserver and kubelets to three real members. */
import { Node, Pod } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient, Sensitive } from "@capstan/runtime";
import { etcdGateway } from "../../packages/manager/src/etcd/gateway.ts";
import type { Etcd, EtcdTarget } from "../../packages/manager/src/etcd/port.ts";
import {
  type EtcdConnections,
  etcdThroughApiServers,
} from "../../packages/manager/src/etcd/through-api-server.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane, type TokenUser } from "./control-plane.ts";
import { eventually } from "./management.ts";
import { type EtcdMembers, memberName, startEtcdMembers } from "./etcd-members.ts";
import { type KubeletStandIn, startKubelet } from "./kubelet-stand-in.ts";

const env = createRealEnv();
const GETTER: TokenUser = { name: "getter", token: "getter-token" };
const NODES = [0, 1, 2].map(memberName);

let plane: ControlPlane;
let members: EtcdMembers;
let kubelet: KubeletStandIn;
let connections: EtcdConnections;

beforeAll(async () => {
  [plane, members, kubelet] = await Promise.all([
    startControlPlane({ users: [GETTER] }),
    startEtcdMembers(),
    startKubelet(),
  ]);
  const client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  for (const name of NODES) await createMember(client, name);
  await mayGet();
});
beforeEach(() => {
  for (const [index, name] of NODES.entries()) kubelet.ports.set(`etcd-${name}`, members.ports[index] ?? 0);
  kubelet.onForward = () => undefined;
  connections = etcdThroughApiServers(env);
  return () => connections.close();
});
afterAll(async () => {
  await Promise.all([plane.stop(), members.stop(), kubelet.stop()]);
});

/** A Node with the static pod of etcd on it, as far as a port-forward looks at them. */
async function createMember(client: Client, name: string): Promise<void> {
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name } });
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await client.patch(Node, { name }, { type: "merge", subresource: "status", body: { status } });
  const metadata = { name: `etcd-${name}`, namespace: "kube-system" };
  const spec = { nodeName: name, containers: [{ name: "etcd", image: "etcd" }] };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const body = { status: { phase: "Running" } };
  await client.patch(Pod, metadata, { type: "merge", subresource: "status", body });
}

/** Gives a user the verb get on port-forwards, and not create. */
async function mayGet(): Promise<void> {
  const kinds = ["clusterroles", "clusterrolebindings"];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: GETTER.name };
  const bodies = [
    { rules: [{ apiGroups: [""], resources: ["pods/portforward"], verbs: ["get"] }] },
    { roleRef, subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: GETTER.name }] },
  ];
  const transport = plane.connect();
  for (const [index, plural] of kinds.entries()) {
    const { status } = await transport.request({
      method: "POST",
      path: `/apis/rbac.authorization.k8s.io/v1/${plural}`,
      headers: { "content-type": "application/json" },
      body: { metadata: { name: GETTER.name }, ...bodies[index] },
    });
    expect(status).toBe(201);
  }
}

function targetOn(nodeName: string, token = plane.adminToken): EtcdTarget {
  return {
    endpoint: new URL(plane.url).host,
    apiServer: () => Promise.resolve({ server: plane.url, authority: plane.ca, token: new Sensitive(token) }),
    nodeName,
    authority: members.authority.cert,
    certificate: members.client.cert,
    key: new Sensitive(members.client.key),
  };
}

const etcdOn = (nodeName: string, token?: string): Etcd =>
  etcdGateway(connections.connect(targetOn(nodeName, token)), env);

/** The leader and another member, by the names of their Nodes. */
async function leaderAndOther() {
  const listed = await etcdOn("node-0").members();
  const { leader } = await etcdOn("node-0").status();
  const leading = listed.find(({ id }) => id === leader);
  const other = listed.find(({ id }) => id !== leader);
  if (!leading || !other) throw new Error("three members have a leader");
  return { leading, other };
}

describe("etcd through a real kube-apiserver", () => {
  test("is asked on one port-forward a member", async () => {
    const before = kubelet.opened();
    for (let pass = 0; pass < 3; pass++) {
      const etcd = etcdOn("node-1");
      expect((await etcd.members()).map(({ name }) => name).toSorted()).toEqual(NODES);
      expect((await etcd.status()).leader).toMatch(/^\d+$/);
      expect(await etcd.alarms()).toEqual(new Set());
      await etcd.close();
    }
    expect(kubelet.opened()).toBe(before + 1);
  });

  test.each<[string, (etcd: Etcd, otherId: string) => Promise<unknown>]>([
    ["status", (etcd) => etcd.status()],
    ["members", (etcd) => etcd.members()],
    ["alarms", (etcd) => etcd.alarms()],
    ["moveLeader", (etcd, otherId) => etcd.moveLeader(otherId)],
    ["removeMember", (etcd) => etcd.removeMember("1")],
  ])("a port-forward that is cut during %s fails that call, and the next one works", async (_, call) => {
    const { leading, other } = await leaderAndOther();
    await connections.close();
    const cut: { now?: () => void } = {};
    kubelet.onForward = ({ client, server }) => {
      cut.now = () => void server.prependListener("data", () => client.terminate());
    };
    const etcd = etcdOn(leading.name);
    // Now the forward is open. What the server sends next begins the answer, so the request has arrived in full.
    await etcd.members();
    cut.now?.();
    await expect(call(etcd, other.id)).rejects.toMatchObject({
      failure: "Transient",
      reason: "EtcdUnreachable",
      message: expect.stringContaining(`port 2379 of Pod kube-system/etcd-${leading.name}`) as unknown,
    });
    kubelet.onForward = () => undefined;
    expect(await etcd.members()).toHaveLength(3);
  });

  test.each<[string, () => void, RegExp]>([
    [
      "that ends at another pod",
      () => kubelet.ports.set("etcd-node-1", members.ports[2] ?? 0),
      /does not prove its identity: .*node-1/,
    ],
    [
      "to a pod without a server",
      () => kubelet.ports.delete("etcd-node-1"),
      /no port-forward leads to port 2379 of Pod kube-system\/etcd-node-1: no server in etcd-node-1 on port 2379/,
    ],
    [
      "that sends endless bytes",
      () => {
        kubelet.onForward = ({ client }) => client.send(Buffer.alloc(512 * 1024));
      },
      /does not prove its identity/,
    ],
  ])("a port-forward %s fails with the reason, and holds up no other member", async (_, arrange, reason) => {
    arrange();
    await expect(etcdOn("node-1").status()).rejects.toThrow(reason);
    kubelet.onForward = () => undefined;
    expect(await etcdOn("node-2").members()).toHaveLength(3);
  });

  test("a pod that does not exist, and a user without the verb create, are named", async () => {
    await expect(etcdOn("node-9").status()).rejects.toThrow(
      'the API server answers 404: pods "etcd-node-9" not found',
    );
    await expect(etcdOn("node-0", GETTER.token).status()).rejects.toThrow(
      "the user of the kubeconfig needs the verbs get and create on pods/portforward; the API server answers 403",
    );
  });

  test("a member is removed after its leadership moved, and again without harm", async () => {
    const { leading, other } = await leaderAndOther();
    await etcdOn(leading.name).moveLeader(other.id);
    // etcd removes members when its peers have been connected for five seconds.
    await eventually(() => etcdOn(other.name).removeMember(leading.id));
    await etcdOn(other.name).removeMember(leading.id);
    const left = await etcdOn(other.name).members();
    expect(left.map(({ name }) => name).toSorted()).toEqual(NODES.filter((name) => name !== leading.name));
  });
});
