import { getCondition, KubeadmControlPlane, Secret } from "@capstan/api";
import { SIMULATED_ISSUER, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, MINUTE_MS, NAMESPACE } from "../fleet/fleet-world.ts";
import { CLUSTER, CONTROL_PLANE, controlPlaneWorld, machinesOf, untilReady } from "./control-plane-world.ts";

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
  const { reason = "", message = "" } = getCondition(status?.conditions, type) ?? {};
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
