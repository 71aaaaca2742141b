/** Workload clusters whose API server answers with what no API server sends: only their own objects suffer, with a condition. */
import { MachinePool } from "@capstan/api";
import type { HttpRequest, HttpResponse } from "@capstan/env";
import { expect, test } from "vitest";
import {
  clusterWorld,
  createCluster,
  get,
  giveKubeconfig,
  kubeconfig,
  MINUTE_MS,
} from "../kit/cluster-world.ts";
import { machineIDs } from "../kit/providers.ts";
import { bootNodes, createPool } from "./life.ts";

const HOST = { host: "hostile.example.com", port: 6443 };
const [ID = ""] = machineIDs("pool", 1);
const nodes = (...items: readonly unknown[]): unknown => ({
  apiVersion: "v1",
  kind: "NodeList",
  metadata: { resourceVersion: "7" },
  items,
});
const nodeWith = (part: object): unknown => ({
  metadata: { name: "n", uid: "u", resourceVersion: "7" },
  spec: { providerID: ID },
  ...part,
});

/** Answers every request with the same body, and every watch with it as a thousand events. */
function answering(body: unknown): (request: HttpRequest) => Promise<HttpResponse> {
  return () =>
    Promise.resolve({
      status: 200,
      headers: {},
      json: () => Promise.resolve(body),
      text: () => Promise.resolve(JSON.stringify(body)),
      async *lines() {
        for (let number = 0; number < 1000; number++)
          yield await Promise.resolve({ type: "MODIFIED", object: body });
      },
    });
}

test.each<readonly [string, unknown]>([
  ["null", null],
  ["items that are a text", { kind: "NodeList", metadata: { resourceVersion: "7" }, items: "many" }],
  ["a provider id that is a number", nodes(nodeWith({ spec: { providerID: 5 } }))],
  ["conditions that are a text", nodes(nodeWith({ status: { conditions: "Ready" } }))],
  ["a condition that is null", nodes(nodeWith({ status: { conditions: [null] } }))],
  [
    "a time that is a number",
    nodes(nodeWith({ status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: 1 }] } })),
  ],
  ["labels that are a number", nodes(nodeWith({ metadata: { name: "n", labels: 5, annotations: [] } }))],
])("a workload API that answers with %s stops no other cluster", async (_, body) => {
  const world = await clusterWorld({ servers: { [`${HOST.host}:${HOST.port}`]: () => answering(body) } });
  await giveKubeconfig(world, "hostile", kubeconfig(`https://${HOST.host}:${HOST.port}`));
  await createCluster(world, "hostile", { spec: { controlPlaneEndpoint: HOST } });
  await createPool(world, "pool", "hostile", { spec: { replicas: 1 } });
  await createCluster(world, "alive");
  await createPool(world, "other", "alive", { spec: { replicas: 1 } });
  await world.advance(5 * MINUTE_MS);
  await bootNodes(world, "alive", machineIDs("other", 1));
  await world.advance(20 * MINUTE_MS);
  expect((await get(world, MachinePool, "other")).status?.readyReplicas).toBe(1);
});
