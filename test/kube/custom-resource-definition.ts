import { setTimeout as sleep } from "node:timers/promises";
import { builtInKind, type Frozen, type KubernetesObject } from "@capstan/api";
import type { Client } from "@capstan/runtime";

/** A CustomResourceDefinition, as far as the tests look at it. */
export interface CustomResourceDefinition extends KubernetesObject {
  spec: { names: { plural: string; kind: string }; versions?: { storage: boolean }[]; conversion?: object };
  status?: { conditions: { type: string; status: string; message?: string }[]; acceptedNames: object };
}

/** The kind, for the client. */
export const CustomResourceDefinition = builtInKind<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  subresources: ["status"],
});

const TRIES = 100;

/**
 * Creates the definition and waits until the server serves its kind: in its stored version, unless a manager converts. The
 * garbage collector of kube-controller-manager reads the newest version, and stops for all kinds if that fails.
 */
export async function establish(
  client: Client,
  crd: CustomResourceDefinition,
  { isConverted = false } = {},
): Promise<Frozen<CustomResourceDefinition>> {
  await client.create(CustomResourceDefinition, isConverted ? crd : storedOnly(crd));
  let seen: Frozen<CustomResourceDefinition> | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    seen = await client.get(CustomResourceDefinition, crd.metadata);
    if (seen.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"))
      return seen;
    await sleep(50);
  }
  throw new Error(`${crd.metadata.name} was not established: ${JSON.stringify(seen?.status?.conditions)}`);
}

function storedOnly(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { conversion, versions, ...spec } = crd.spec;
  if (!conversion || !versions) return crd;
  return { ...crd, spec: { ...spec, versions: versions.filter(({ storage }) => storage) } };
}
