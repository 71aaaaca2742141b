import { AzureMachinePool, type KubernetesObject, MachinePool } from "@capstan/api";
import { RESTARTED_AT_ANNOTATION } from "@capstan/plan";
import { azureCluster, cluster } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { managementWith } from "../plan/management.fixture.ts";
import { machinePoolObject, NOW, poolObject, poolObjects } from "../plan/planners/pool-objects.fixture.ts";
import { desiredModel } from "../plan/planners/desired-model.ts";
import { findPool, readPool } from "../rollout/live-pool.ts";
import type { RolloutVerb } from "../rollout/rollout-verb.ts";
import { changeRollout } from "./rollout-change.ts";

const POOL = { name: "pool", namespace: "default" };
const PAUSED = { metadata: { annotations: { "cluster.x-k8s.io/paused": "true" } } };

/** Runs verbs on a pool in a cluster with these objects; returns the output and the pool's annotations afterwards. */
async function change(verbs: readonly RolloutVerb[], ...objects: readonly KubernetesObject[]) {
  const client = await managementWith(...objects);
  const said: string[] = [];
  for (const verb of verbs) {
    const parts = await readPool(client, await findPool(client, POOL));
    said.push(await changeRollout(client, verb, { parts, nowMs: Date.parse(NOW) }));
  }
  const { metadata } = await client.get(AzureMachinePool, POOL);
  return { said: said.join(""), annotations: metadata.annotations ?? {}, client };
}

describe("capstan rollout", () => {
  test("pauses the AzureMachinePool, and the MachinePool continues to count its nodes", async () => {
    const { said, annotations, client } = await change(["pause", "pause"], ...poolObjects());
    expect(annotations).toEqual({ "cluster.x-k8s.io/paused": "true" });
    expect((await client.get(MachinePool, POOL)).metadata.annotations).toBeUndefined();
    expect(said).toBe(
      "AzureMachinePool default/pool paused: no machine is added, replaced or updated until it is resumed\n" +
        "AzureMachinePool default/pool is paused already\n",
    );
  });

  test("resumes, and reports what else pauses the pool", async () => {
    const { said, annotations } = await change(["pause", "resume", "resume"], ...poolObjects());
    expect(annotations).toEqual({});
    expect(said).toContain("AzureMachinePool default/pool resumed\n");
    expect(said).toContain("AzureMachinePool default/pool was not paused\n");
    const still = await change(
      ["resume"],
      poolObject(PAUSED),
      machinePoolObject(PAUSED),
      cluster({ spec: { paused: true } }),
    );
    expect(still.said).toBe(
      "AzureMachinePool default/pool resumed\n" +
        "it is still paused: MachinePool default/pool has the annotation cluster.x-k8s.io/paused and Cluster default/cluster has spec.paused set\n",
    );
  });

  test("restarts by a change that makes every machine outdated and leaves the spec unchanged", async () => {
    const objects = [...poolObjects(), cluster(), azureCluster()];
    const before = await managementWith(...objects);
    const { annotations, client } = await change(["restart"], ...objects);
    expect(annotations).toEqual({ [RESTARTED_AT_ANNOTATION]: NOW });
    const [old, restarted] = await Promise.all(
      [before, client].map(
        async (one) => desiredModel(await readPool(one, await findPool(one, POOL))).desired,
      ),
    );
    expect(restarted?.hash).not.toBe(old?.hash);
    const specs = await Promise.all([before, client].map((one) => one.get(AzureMachinePool, POOL)));
    expect(specs[0]?.spec).toEqual(specs[1]?.spec);
  });

  test("does not restart a paused pool", async () => {
    const restart = change(["restart"], poolObject(PAUSED), machinePoolObject());
    await expect(restart).rejects.toThrow(
      "AzureMachinePool default/pool cannot be restarted: AzureMachinePool default/pool is paused; resume it first, with capstan rollout resume pool",
    );
  });
});

describe("a pool is named", () => {
  const named = machinePoolObject({ metadata: { name: "workers", uid: "other" } });

  test.each([
    "pool",
    "azuremachinepool/pool",
    "amp/pool",
    "AMP/pool",
    "workers",
    "machinepool/workers",
    "mp/workers",
  ])("as %s", async (name) => {
    const client = await managementWith(poolObject(), named);
    expect((await findPool(client, { name, namespace: "default" })).metadata.name).toBe("pool");
  });

  test.each([
    ["absent", 'there is no pool "absent" in namespace default; existing: pool'],
    ["amp/workers", 'there is no pool "amp/workers" in namespace default; existing: pool'],
    [
      "node/pool",
      '"node/pool" is not the name of a pool; write NAME, NAMESPACE/NAME, azuremachinepool/NAME or machinepool/NAME',
    ],
    ["amp/", '"amp/" is not the name of a pool'],
    ["amp/a/b", '"amp/a/b" is not the name of a pool'],
  ])("but not as %s", async (name, message) => {
    const client = await managementWith(poolObject(), named);
    await expect(findPool(client, { name, namespace: "default" })).rejects.toThrow(message);
  });

  test("but not if it is a node pool of AKS", async () => {
    const infrastructureRef = { kind: "AzureManagedMachinePool", name: "system" };
    const client = await managementWith(
      machinePoolObject({ spec: { template: { spec: { infrastructureRef } } } }),
    );
    await expect(findPool(client, { name: "pool", namespace: "default" })).rejects.toThrow(
      "is a node pool of AKS, which replaces its nodes itself; see: kubectl describe azuremanagedmachinepool system",
    );
  });

  test("by its kind when two pools share a name", async () => {
    const other = poolObject({ metadata: { name: "workers", uid: "another" } });
    const client = await managementWith(poolObject(), named, other);
    const find = (name: string) => findPool(client, { name, namespace: "default" });
    await expect(find("workers")).rejects.toThrow("choose one: amp/workers or mp/workers");
    expect((await find("amp/workers")).metadata.name).toBe("workers");
    expect((await find("mp/workers")).metadata.name).toBe("pool");
  });

  test("by the MachinePool that owns it, and not by another one that refers to it", async () => {
    const ownerReferences = [
      { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachinePool", name: "pool", uid: "uid" },
    ];
    const rival = machinePoolObject({ metadata: { name: "rival", uid: "rival" } });
    const client = await managementWith(
      poolObject({ metadata: { ownerReferences } }),
      machinePoolObject(),
      rival,
    );
    for (const name of ["rival", "mp/rival"]) {
      await expect(findPool(client, { name, namespace: "default" })).rejects.toThrow(
        "MachinePool default/rival refers to AzureMachinePool default/pool, which belongs to MachinePool pool; each needs an AzureMachinePool of its own",
      );
    }
    expect((await findPool(client, { name: "mp/pool", namespace: "default" })).metadata.name).toBe("pool");
  });

  test("but not if it belongs to another provider", async () => {
    const foreign = machinePoolObject({
      spec: { template: { spec: { infrastructureRef: { kind: "DockerMachinePool" } } } },
    });
    const client = await managementWith(foreign);
    await expect(findPool(client, POOL)).rejects.toThrow("its machines are of DockerMachinePool");
  });
});
