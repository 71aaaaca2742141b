/** The manifests of v1beta1 in examples/v1beta1, applied as they are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Cluster, DEFAULT_FEATURES } from "@capstan/api";
import { expect, test } from "vitest";
import { get } from "../kit/fleet-world.ts";
import { comesUp, manifestWorld, objectsIn } from "./manifest-world.ts";

const FOLDER = join(import.meta.dirname, "../../../examples/v1beta1");

test.each([
  { file: "machine-pool.yaml", cluster: "dock", workers: 2, machines: 0 },
  { file: "control-plane.yaml", cluster: "lock", workers: 2, machines: 5 },
  { file: "in-place.yaml", cluster: "slip", workers: 3, machines: 6 },
  { file: "aks.yaml", cluster: "cove", workers: 3, machines: 0 },
])("$file comes up", async ({ file, cluster, workers, machines }) => {
  const objects = objectsIn(readFileSync(join(FOLDER, file), "utf8"));
  const world = await manifestWorld(objects, { features: { ...DEFAULT_FEATURES, InPlaceUpdates: true } });
  expect(await comesUp(world, cluster, { workers, machines })).toBe(true);
  expect((await get(world, Cluster, cluster)).apiVersion).toBe("cluster.x-k8s.io/v1beta2");
});
