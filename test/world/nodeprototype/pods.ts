import { PodDisruptionBudget } from "@capstan/apiserver";
import type { World } from "@capstan/sim";
import { Deployment } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { MINUTE_MS, NAMESPACE } from "../kit/fleet-world.ts";
import { CLUSTER } from "../kit/pool-world.ts";

/** Runs a pod on each of three nodes, and a budget that lets none of them go. */
export async function blockDrains(world: World): Promise<void> {
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("the cluster has no API server");
  const labels = { app: "web" };
  const metadata = { name: "web", namespace: NAMESPACE };
  const selector = { matchLabels: labels };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  await world.run(workload.create(PodDisruptionBudget, { metadata, spec: { maxUnavailable: 0, selector } }));
  await world.run(workload.create(Deployment, { metadata, spec: { replicas: 6, selector, template } }));
  await world.until(() => world.truth.census(CLUSTER).podsRunning === 6, 10 * MINUTE_MS);
}
