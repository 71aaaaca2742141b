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
  const owner = isKind(object, "AzureMachinePoolMachine") ? poolOf(object) : ownerOfMachine(object);
  return owner && `${owner.kind}/${object.metadata.namespace ?? ""}/${owner.name}`;
}

interface Owner {
  readonly kind: string;
  readonly name: string;
}

function poolOf(object: GivenObject): Owner | undefined {
  const name =
    labelOf(object, "pool-name") ?? ownersOf(object).find(({ kind }) => kind === "AzureMachinePool")?.name;
  return name === undefined ? undefined : { kind: "MachinePool", name };
}

const OWNERS: readonly string[] = ["KubeadmControlPlane", "MachineSet"];

function ownerOfMachine(object: GivenObject): Owner | undefined {
  if (!isKind(object, Machine.kind)) return undefined;
  const deployment = labelOf(object, "deployment-name");
  if (deployment !== undefined) return { kind: "MachineDeployment", name: deployment };
  const owner = ownersOf(object).find(({ kind, controller }) => controller === true && OWNERS.includes(kind));
  const controlPlane = labelOf(object, "control-plane-name");
  return (
    owner ?? (controlPlane === undefined ? undefined : { kind: "KubeadmControlPlane", name: controlPlane })
  );
}

function labelOf(object: GivenObject, name: string): string | undefined {
  return textOf(metadataOf(object), "labels", `cluster.x-k8s.io/${name}`);
}

/** The Cluster that an object belongs to. */
export function clusterOf(object: GivenObject): string | undefined {
  return (
    textOf(object, "spec", "clusterName") ??
    textOf(fieldOf(object, "metadata"), "labels", "cluster.x-k8s.io/cluster-name")
  );
}
