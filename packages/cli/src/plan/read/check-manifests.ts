import {
  AzureMachinePool,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  customKinds,
  type CustomKind,
  type Frozen,
  type KubernetesObject,
  MachinePool,
  ManagedCluster,
} from "@capstan/api";
import { kindNamed } from "@capstan/manager";
import { type Client, isNotServed } from "@capstan/runtime";
import { CommandError } from "../../command-error.ts";
import { titleOf } from "./given-objects.ts";
import { proposed } from "../planners/proposed-pools.ts";
import type { GivenObject } from "./read-objects.ts";

/** The namespace of objects that do not set one, and whether the command line has it. */
interface NamespaceFlag {
  readonly namespace: string;
  readonly isWritten: boolean;
}

/** Refuses manifests that the server would refuse: what a plan shows must be what applying does. */
export async function checkManifests(
  client: Client,
  objects: readonly GivenObject[],
  flag: NamespaceFlag,
): Promise<void> {
  for (const object of objects) refuseOtherNamespace(object, flag);
  for (const object of objects) {
    const kind = customKinds.find((one) => one.kind === object.kind && isOfGroup(object, one));
    if (!kind) await refuseUnknownKind(client, object, flag.namespace);
    else if (!CHECKED_BY_PLANNERS.has(kind) && kind.group !== ManagedCluster.group)
      await proposed(client, kind, placed(object, flag.namespace));
  }
}

// Their planners apply them as dry runs themselves. Azure Service Operator defaults its own objects.
const CHECKED_BY_PLANNERS: ReadonlySet<CustomKind> = new Set<CustomKind>([
  AzureMachinePool,
  MachinePool,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
]);

function isOfGroup({ apiVersion }: GivenObject, { group }: CustomKind): boolean {
  return apiVersion.startsWith(`${group}/`);
}

function placed(object: GivenObject, namespace: string): Frozen<KubernetesObject> {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, namespace: metadata.namespace ?? namespace } };
}

/** As kubectl does: the flag selects a namespace, it does not move objects. */
function refuseOtherNamespace(object: GivenObject, { namespace, isWritten }: NamespaceFlag): void {
  const own = object.metadata.namespace;
  if (!isWritten || own === undefined || own === namespace) return;
  throw new CommandError(
    `${titleOf(object)} cannot be applied: its namespace is ${own}, but -n says ${namespace}; leave one of them out`,
  );
}

/** Asks the server for kinds that this release does not know; those of Kubernetes itself exist in every cluster. */
async function refuseUnknownKind(client: Client, object: GivenObject, namespace: string): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
  const isOurs = customKinds.some((one) => one.group === group);
  if (!isOurs && (!group.includes(".") || group.endsWith(".k8s.io"))) return;
  try {
    await client.find(kindNamed(apiVersion, kind), { name: metadata.name, namespace });
  } catch (error) {
    if (!isNotServed(error)) throw error;
    throw new CommandError(
      `${titleOf(object)} cannot be applied: the server has no kind ${kind} in ${apiVersion}${suggestion(group)}`,
    );
  }
}

function suggestion(group: string): string {
  const known = customKinds.flatMap((one) => (one.group === group ? [one.kind] : []));
  return known.length === 0 ? "" : `; kinds of this group: ${known.join(", ")}`;
}
