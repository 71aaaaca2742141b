import { CLUSTER_NAME_LABEL, customKinds, Node } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { createClient, transient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { inProcess } from "./transport.ts";
import { installDefinitions } from "./install-definitions.ts";
import { refuseWorkloadCluster } from "./workload-cluster.ts";

const env = createRealEnv();

/** A cluster with a Node, which Cluster API may have made. */
async function clusterWith(annotations: Record<string, string>) {
  const { handle } = createApiServer({ env, kinds: builtInKinds, rules: customKinds });
  const transport = inProcess(handle);
  const client = createClient({ env, transport, fieldManager: "test" });
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "node-0", annotations } });
  return { client, transport };
}
const JOINED = { [CLUSTER_NAME_LABEL]: "quay" };

test("a workload cluster is refused by its name", async () => {
  const { client } = await clusterWith(JOINED);
  await expect(refuseWorkloadCluster(client, ", or stay")).rejects.toThrow(
    "this is workload cluster quay, as its Nodes say, not a management cluster; choose the management cluster with --kubeconfig or --context, or stay",
  );
});

test("a cluster that manages itself, and one that Cluster API did not make, are accepted", async () => {
  const { client, transport } = await clusterWith(JOINED);
  await installDefinitions({ env, transport }, customKinds);
  await expect(refuseWorkloadCluster(client, "")).resolves.toBeUndefined();
  const other = await clusterWith({});
  await expect(refuseWorkloadCluster(other.client, "")).resolves.toBeUndefined();
});

test("a user who may not read Nodes is not held up", async () => {
  const { client } = await clusterWith(JOINED);
  const blind = { ...client, list: () => Promise.reject(transient("Forbidden", "nodes is forbidden")) };
  await expect(refuseWorkloadCluster(blind, "")).resolves.toBeUndefined();
});
