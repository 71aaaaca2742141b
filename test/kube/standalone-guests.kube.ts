import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureCluster,
  Cluster,
  isJsonObject,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachinePool,
} from "@capstan/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { killAll } from "../journeys/capstan.ts";
import { runsAll } from "../sample.ts";
import { type GuestAzure, startGuestAzure } from "./guest-azure.ts";
import { eventually, type Management, startManagementWith } from "./management.ts";

const BRIDGE = { name: "bridge", namespace: "default" };
// A loopback address of this process: other runs on the machine have theirs.
const HOST = `127.64.${(process.pid >> 8) & 255}.${process.pid & 255}`;

let management: Management<GuestAzure>;

beforeAll(async () => {
  management = await startManagementWith({ startAzure: startGuestAzure });
  await management.capstan("init", "--kubeconfig", management.plane.kubeconfig);
  await management.startManager();
});
afterAll(async () => {
  killAll();
  await management.stop();
});

/** The manifests of an example, with a control plane at a loopback address. */
async function applyExample(replicas: number): Promise<void> {
  const folder = "examples/ha-cluster";
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  for (const document of texts.flatMap((text) => parseAllDocuments(text))) {
    const object: unknown = document.toJS();
    if (!isJsonObject(object)) continue;
    if (object["kind"] === AzureCluster.kind)
      document.setIn(["spec", "controlPlaneEndpoint"], { host: HOST, port: 6443 });
    if (object["kind"] === KubeadmControlPlane.kind) document.setIn(["spec", "replicas"], replicas);
    await eventually(async () => void (await management.apply(document.toString())));
  }
}

/** The control plane, once it has settled. */
async function settled(replicas: number, version: string): Promise<void> {
  const { client } = management;
  await eventually(async () => {
    const { spec, status, metadata } = await client.get(KubeadmControlPlane, BRIDGE);
    expect(status?.observedGeneration).toBe(metadata.generation);
    expect({ ...status, wanted: spec.replicas }).toMatchObject({
      wanted: replicas,
      replicas,
      readyReplicas: replicas,
      upToDateReplicas: replicas,
      availableReplicas: replicas,
      version,
    });
  }, 10 * 60_000);
}

describe("a cluster whose manager is a process beside a real kube-apiserver", () => {
  test("gets control planes and workers, and loses control planes again, by way of etcd", async () => {
    const { client } = management;
    await applyExample(runsAll ? 3 : 3);
    await settled(3, "v1.33.5");
    await eventually(async () => {
      expect((await client.get(MachineDeployment, { ...BRIDGE, name: "bridge-workers" })).status).toMatchObject({
        availableReplicas: 2,
      });
      expect((await client.get(MachinePool, { ...BRIDGE, name: "bridge-pool" })).status).toMatchObject({
        readyReplicas: 2,
      });
    });
    console.log(await management.kubectl("get", "machines,kubeadmcontrolplanes,clusters"));
    const scale = { spec: { replicas: 1 } };
    await client.patch(KubeadmControlPlane, BRIDGE, { type: "merge", body: scale });
    for (let i=0;i<12;i++) { await new Promise((r)=>setTimeout(r,5000)); console.log(i, await management.kubectl("get", "machines"), JSON.stringify((await client.get(KubeadmControlPlane, BRIDGE)).status?.conditions?.filter((c)=>c.status!=="True"||/Etcd|Scal/.test(c.type)),null,0), await management.kubectl("get","events","--sort-by=.lastTimestamp").then((t)=>t.split("\n").slice(-8).join("\n"))); }
    await settled(1, "v1.33.5");
    await client.delete(Cluster, BRIDGE);
    await eventually(async () => {
      expect(await client.list(Machine)).toEqual([]);
      expect(await client.find(Cluster, BRIDGE)).toBeUndefined();
    }, 10 * 60_000);
    expect(await management.azure.resources()).toEqual([]);
  }, 600_000);
});
