import { Cluster, Event, getCondition, KubeadmControlPlane, olderConditionsOf, Secret } from "@capstan/api";
import { createRealEnv, type Handler, TransportError } from "@capstan/env";
import { x509Issuer } from "../../../packages/manager/src/cluster-certificates/x509-issuer.ts";
import { SIMULATED_ISSUER, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, MINUTE_MS, NAMESPACE, patch } from "../kit/fleet-world.ts";
import {
  CLUSTER,
  CONTROL_PLANE,
  controlPlaneWorld,
  endpointOf,
  machinesOf,
  membersOf,
  namesOf,
  untilReady,
} from "../kit/control-plane-world.ts";

const external = {
  endpoints: ["https://etcd.example.com:2379"],
  caFile: "/etc/etcd/ca.crt",
  certFile: "/etc/etcd/client.crt",
  keyFile: "/etc/etcd/client.key",
};

async function createSecret(
  world: World,
  purpose: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const metadata = { name: `${CLUSTER}-${purpose}`, namespace: NAMESPACE };
  await world.run(world.user.create(Secret, { metadata, type: "Opaque", stringData: { ...texts } }));
}

async function messageOf(world: World, type: string): Promise<string> {
  const { status } = await get(world, KubeadmControlPlane, CONTROL_PLANE);
  const { reason = "", message = "" } = getCondition(olderConditionsOf({ status }), type) ?? {};
  return `${reason}: ${message}`;
}

test("with external etcd the control plane waits for its certificates, and asks no etcd", async () => {
  const world = await controlPlaneWorld({
    kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } },
  });
  await world.advance(5 * MINUTE_MS);
  expect(await messageOf(world, "CertificatesAvailable")).toBe(
    "NotAvailable: Secret demo-etcd does not exist; create it with the certificates of your etcd; Secret demo-apiserver-etcd-client does not exist; create it with the certificates of your etcd",
  );
  expect(await machinesOf(world)).toEqual([]);
  const { cert, key } = await SIMULATED_ISSUER.client();
  await createSecret(world, "etcd", { "tls.crt": (await SIMULATED_ISSUER.authority()).cert });
  await createSecret(world, "apiserver-etcd-client", { "tls.crt": cert, "tls.key": key });
  expect(await untilReady(world, 1)).toBe(true);
  expect(await messageOf(world, "EtcdClusterHealthy")).toBe("External: ");
  const asked = world.trace.events.filter((event) => JSON.stringify(event).includes("/v3/"));
  expect(asked).toEqual([]);
});

test("an authority of the user is used and not overwritten; a broken one is named, and no key shows", async () => {
  const world = await controlPlaneWorld();
  await createSecret(world, "ca", { "tls.crt": "broken", "tls.key": "canary-key" });
  await world.advance(5 * MINUTE_MS);
  const said = await messageOf(world, "CertificatesAvailable");
  expect(said).toBe(
    "NotAvailable: Secret demo-ca does not have a certificate in tls.crt and its key in tls.key, in PEM",
  );
  expect(await machinesOf(world)).toEqual([]);
  const { cert, key } = await SIMULATED_ISSUER.authority();
  await world.run(
    world.user.patch(
      Secret,
      { name: `${CLUSTER}-ca`, namespace: NAMESPACE },
      { type: "merge", body: { stringData: { "tls.crt": cert, "tls.key": key } } },
    ),
  );
  expect(await untilReady(world, 1)).toBe(true);
  const { type, metadata } = await get(world, Secret, `${CLUSTER}-ca`);
  expect([type, metadata.ownerReferences]).toEqual(["Opaque", undefined]);
  expect(JSON.stringify(world.trace.events)).not.toContain("canary-key");
});

test("an expired authority of the user is named with its time, and no machine is created", async () => {
  const world = await controlPlaneWorld();
  const nowMs = world.scheduler.wallMs - 2 * 24 * 60 * MINUTE_MS;
  const issuer = x509Issuer(createRealEnv());
  const { cert, key } = await issuer.authority({ algorithm: "ECDSA-P256", validDays: 1, nowMs });
  await createSecret(world, "ca", { "tls.crt": cert, "tls.key": key });
  await world.advance(5 * MINUTE_MS);
  expect(await messageOf(world, "CertificatesAvailable")).toMatch(
    /^NotAvailable: Secret demo-ca has a certificate that expired at \S+; put a renewed one of the same key into tls.crt$/,
  );
  expect(await machinesOf(world)).toEqual([]);
});

test("another server at the endpoint is not trusted: the control plane says so and does not call itself initialized", async () => {
  const refuse: Handler = () => Promise.reject(new TransportError("tls", "self-signed certificate"));
  const world = await controlPlaneWorld({}, { servers: { "taken.example.com:6443": () => refuse } });
  const controlPlaneEndpoint = { host: "taken.example.com", port: 6443 };
  await patch(world, Cluster, CLUSTER, { spec: { controlPlaneEndpoint } });
  await world.advance(30 * MINUTE_MS);
  expect(await messageOf(world, "Available")).toBe(
    "WorkloadClusterUnreachable: The server at the endpoint of Cluster demo does not prove that it is the API server: self-signed certificate; direct the endpoint to the machines of the control plane, or correct the authority in Secret demo-kubeconfig",
  );
  expect(
    (await get(world, KubeadmControlPlane, CONTROL_PLANE)).status?.initialization?.controlPlaneInitialized,
  ).toBe(false);
  expect(await machinesOf(world)).toHaveLength(1);
});

test("a member of etcd without a machine is named and removed, and nothing else changes", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  await world.advance(5 * MINUTE_MS);
  const endpoint = await endpointOf(world);
  const before = await namesOf(world);
  // A machine that was killed while it joined leaves such a member.
  world.etcd.at(endpoint).joinStep({
    machineId: "gone",
    nodeName: "gone",
    address: "10.9.9.9",
    disk: () => undefined,
    isRunning: () => false,
    isBalanced: () => false,
  });
  expect(membersOf(world, endpoint)).toHaveLength(4);
  await world.advance(15 * MINUTE_MS);
  expect(membersOf(world, endpoint)).toEqual(before);
  expect(await namesOf(world)).toEqual(before);
  const events = await world.run(world.user.list(Event, { namespace: NAMESPACE }));
  const removed = events.find(({ reason }) => reason === "EtcdMemberRemoved");
  expect(removed?.message).toMatch(
    /^Removed etcd member \d+: no machine of the control plane belongs to etcd member \d+$/,
  );
});
