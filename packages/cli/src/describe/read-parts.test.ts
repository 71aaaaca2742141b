import { cluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { managementWith } from "../plan/management.fixture.ts";
import { partsOf } from "./read-parts.ts";

test("a reference to a missing object is shown at the place of the object, in words for the user", async () => {
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

test("a missing cluster is reported with the names of the existing ones", async () => {
  const client = await managementWith(cluster({ metadata: { name: "demo", namespace: "default" } }));
  await expect(partsOf(client, { name: "dmeo", namespace: "default" })).rejects.toThrow(
    'there is no Cluster "dmeo" in namespace default; did you mean demo? existing: demo',
  );
});

test("a cluster that is in another namespace is found there", async () => {
  const client = await managementWith(cluster({ metadata: { name: "demo", namespace: "default" } }));
  await expect(partsOf(client, { name: "demo", namespace: "other" })).rejects.toThrow(
    'there is no Cluster "demo" in namespace other; there is one in namespace default; choose it with -n default',
  );
});
