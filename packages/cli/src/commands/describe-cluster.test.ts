import { cluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { managementWith } from "../plan/management.fixture.ts";
import { partsOf } from "./describe-cluster.ts";

test("a reference that leads nowhere is shown where the object would be, in words of the user's", async () => {
  const metadata = { name: "demo", namespace: "default" };
  const client = await managementWith(
    cluster({ metadata, spec: { infrastructureRef: { name: "nowhere" } } }),
  );
  const { infrastructure } = await partsOf(client, metadata);
  expect(infrastructure?.status?.conditions).toEqual([
    expect.objectContaining({
      status: "False",
      reason: "NotFound",
      message: "There is no AzureCluster nowhere in namespace default",
    }),
  ]);
});

test("a cluster that is not there is missed with the names of those that are", async () => {
  const client = await managementWith(cluster({ metadata: { name: "demo", namespace: "default" } }));
  await expect(partsOf(client, { name: "dmeo", namespace: "default" })).rejects.toThrow(
    'there is no Cluster "dmeo" in namespace default; there is: demo',
  );
});
