import { type Cluster, type Frozen, KubeadmControlPlane } from "@capstan/api";
import { controlPlaneVersionsOf, targetOf } from "@capstan/manager";
import { type Client, Failure } from "@capstan/runtime";
import type { PlanObjects } from "./given-objects.ts";

/** The version that the control plane of a cluster has, or gets by the same change; undefined if it has none. */
export async function controlPlaneVersion(
  client: Client,
  given: Pick<PlanObjects, "controlPlanes">,
  cluster: Frozen<Cluster> | undefined,
): Promise<string | undefined> {
  const reference = cluster?.spec.controlPlaneRef;
  if (!cluster || !reference) return undefined;
  const { namespace = "default" } = cluster.metadata;
  const changed = given.controlPlanes.find(
    ({ metadata }) =>
      reference.kind === KubeadmControlPlane.kind &&
      metadata.name === reference.name &&
      metadata.namespace === namespace,
  );
  if (changed) return changed.spec.version;
  try {
    const { kind, name } = await targetOf(client, { reference, field: "spec.controlPlaneRef", namespace });
    const object = await client.find(kind, name);
    return object && controlPlaneVersionsOf(object)?.desired;
  } catch (error) {
    // A user who may not read the control plane can still plan.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
