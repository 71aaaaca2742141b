import { Machine } from "@capstan/api";
import { byNumber } from "../../render/by-number.ts";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { fieldOf, isKind, metadataOf, ownersOf, textOf } from "./owned-objects.ts";

/** The names of the machines of each group, oldest first: machines of a rehearsal are shown by them. */
export function namesByGroup(grown: readonly GivenObject[]): Readonly<Record<string, readonly string[]>> {
  const machines = grown.flatMap((object) => {
    const group = groupOf(object);
    return group === undefined ? [] : [{ group, name: object.metadata.name, created: createdAt(object) }];
  });
  const groups = Map.groupBy(machines, ({ group }) => group);
  return Object.fromEntries(
    [...groups].map(([group, these]) => [
      group,
      these
        .toSorted((one, other) => byTime(one.created, other.created) || byNumber(one.name, other.name))
        .map(({ name }) => name),
    ]),
  );
}

function byTime(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function createdAt(object: GivenObject): string {
  const { creationTimestamp } = metadataOf(object);
  return typeof creationTimestamp === "string" ? creationTimestamp : "";
}

/** The key of the group of a machine; it is the key that the simulation has for it. */
function groupOf(object: GivenObject): string | undefined {
  const { namespace = "" } = object.metadata;
  const label = (name: string): string | undefined =>
    textOf(metadataOf(object), "labels", `cluster.x-k8s.io/${name}`);
  if (isKind(object, "AzureMachinePoolMachine")) {
    const pool = label("pool-name") ?? ownersOf(object).find(({ kind }) => kind === "AzureMachinePool")?.name;
    return pool === undefined ? undefined : `MachinePool/${namespace}/${pool}`;
  }
  if (!isKind(object, Machine.kind)) return undefined;
  const deployment = label("deployment-name");
  if (deployment !== undefined) return `MachineDeployment/${namespace}/${deployment}`;
  const owner = ownersOf(object).find(({ controller }) => controller === true);
  const controlPlane = owner?.kind === "KubeadmControlPlane" ? owner.name : label("control-plane-name");
  if (controlPlane !== undefined) return `KubeadmControlPlane/${namespace}/${controlPlane}`;
  return owner?.kind === "MachineSet" ? `MachineSet/${namespace}/${owner.name}` : undefined;
}

/** The Cluster that an object belongs to. */
export function clusterOf(object: GivenObject): string | undefined {
  return (
    textOf(object, "spec", "clusterName") ??
    textOf(fieldOf(object, "metadata"), "labels", "cluster.x-k8s.io/cluster-name")
  );
}
