/** Control planes of `capstan manager` as a process, on machines of `capstan azure-sim --guests`, beside a real kube-apiserver. */
import {
  AzureMachine,
  Cluster,
  Event,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachinePool,
} from "@capstan/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killAll } from "../journeys/capstan.ts";
import { runsAll } from "../sample.ts";
import { type GuestAzure, startGuestAzure } from "./guest-azure.ts";
import { guestCluster } from "./guest-cluster.ts";
import { eventually, type Management, startManagementWith } from "./management.ts";

const BRIDGE = { name: "bridge", namespace: "default" };
// A loopback address of this process: other runs on the machine have theirs.
const HOST = `127.64.${(process.pid >> 8) & 255}.${process.pid & 255}`;
// All steps together take six minutes on two cores.
const LIMIT_MS = 20 * 60_000;

let management: Management<GuestAzure>;

const withinLimit = (assertion: () => Promise<void>): Promise<void> => eventually(assertion, LIMIT_MS);

async function controlPlaneHas(replicas: number, version: string): Promise<void> {
  await withinLimit(async () => {
    const { status, metadata } = await management.client.get(KubeadmControlPlane, BRIDGE);
    expect({ ...status, generation: metadata.generation }).toMatchObject({
      generation: status?.observedGeneration,
      replicas,
      readyReplicas: replicas,
      upToDateReplicas: replicas,
      availableReplicas: replicas,
      version,
    });
  });
}

async function workersHave(version: string): Promise<void> {
  const { client } = management;
  await withinLimit(async () => {
    const workers = await client.get(MachineDeployment, { ...BRIDGE, name: "bridge-workers" });
    const pool = await client.get(MachinePool, { ...BRIDGE, name: "bridge-pool" });
    expect([workers.status, pool.status]).toMatchObject([
      { replicas: 2, availableReplicas: 2, upToDateReplicas: 2 },
      { readyReplicas: 2, upToDateReplicas: 2 },
    ]);
    expect([workers.spec.template.spec.version, pool.spec.template.spec.version]).toEqual([version, version]);
  });
}

async function change(kind: string, name: string, spec: object): Promise<void> {
  await management.kubectl("patch", kind, name, "--type=merge", "-p", JSON.stringify({ spec }));
}

async function removedMembers(): Promise<readonly string[]> {
  const events = await management.client.list(Event, { namespace: "default" });
  return events
    .filter(({ reason }) => reason === "EtcdMemberRemoved")
    .map(({ message = "" }) => /etcd member ([^\s:]+)/.exec(message)?.[1] ?? "");
}

describe.runIf(runsAll)("a control plane outside capstan up", { timeout: LIMIT_MS }, () => {
  beforeAll(async () => {
    management = await startManagementWith({ startAzure: startGuestAzure });
    await management.capstan("init", "--kubeconfig", management.plane.kubeconfig);
    await management.startManager();
  });
  afterAll(async () => {
    killAll();
    await management.stop();
  });

  test("starts from user data alone, with its workers", async () => {
    // kube-apiserver needs a moment until it calls the webhooks of the manager.
    for (const manifest of guestCluster({ name: BRIDGE.name, host: HOST }))
      await eventually(async () => void (await management.apply(manifest)));
    await controlPlaneHas(3, "v1.33.5");
    await workersHave("v1.33.5");
  });

  test("is upgraded: each machine is replaced, and its member of etcd removed", async () => {
    await change("kubeadmcontrolplane", "bridge", { version: "v1.34.1" });
    await controlPlaneHas(3, "v1.34.1");
    expect((await removedMembers()).length).toBe(3);
    const template = { template: { spec: { version: "v1.34.1" } } };
    await change("machinedeployment", "bridge-workers", template);
    await change("machinepool", "bridge-pool", template);
    await workersHave("v1.34.1");
  });

  test("is repaired when a virtual machine disappears", async () => {
    const { client, azure } = management;
    const [lost] = await client.list(Machine, {
      namespace: "default",
      labelSelector: "cluster.x-k8s.io/control-plane",
    });
    const name = lost?.metadata.name ?? "";
    const { spec } = await client.get(AzureMachine, { ...BRIDGE, name });
    await azure.sim("delete", (spec.providerID ?? "").replace("azure://", ""));
    await withinLimit(async () => {
      expect(await client.find(Machine, { ...BRIDGE, name })).toBeUndefined();
      expect(await removedMembers()).toContain(name);
    });
    await controlPlaneHas(3, "v1.34.1");
  });

  test("shrinks to one machine, and disappears with its Cluster", async () => {
    const { client, azure } = management;
    await change("kubeadmcontrolplane", "bridge", { replicas: 1 });
    await controlPlaneHas(1, "v1.34.1");
    await client.delete(Cluster, BRIDGE);
    await withinLimit(async () => {
      expect(await client.find(Cluster, BRIDGE)).toBeUndefined();
    });
    expect(await client.list(Machine)).toEqual([]);
    expect(await azure.resources()).toEqual([]);
  });
});
