import { builtInKind } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { expect } from "vitest";
import { eventually } from "./management.ts";

const ConfigMap = builtInKind({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

/** Waits until kube-controller-manager deletes an object whose owner was deleted. */
export async function collectsGarbage(client: Client, name: string): Promise<void> {
  const owner = await client.create(ConfigMap, { metadata: { name, namespace: "default" } });
  const { uid = "" } = owner.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
  const left = { name: `${name}-left`, namespace: "default" };
  await client.create(ConfigMap, { metadata: { ...left, ownerReferences } });
  await client.delete(ConfigMap, owner.metadata, { propagationPolicy: "Background" });
  await eventually(async () => expect(await client.find(ConfigMap, left)).toBeUndefined());
}
