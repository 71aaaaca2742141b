import type { JsonObject } from "@capstan/api";
import { shortName } from "./decide.ts";
import { normalizedId } from "@capstan/azure";
import { isOwned, type Owner } from "@capstan/plan";

/** The input of the decision about a deletion. */
export interface DeletionScene {
  readonly owner: Owner;
  readonly groupID: string;
  /** The cluster's resource group; undefined when it does not exist. */
  readonly group: JsonObject | undefined;
  /** All resources in the cluster's group and in that of the virtual network, with their tags. */
  readonly resources: readonly JsonObject[];
  /** The normalized id of the virtual network. */
  readonly networkID: string | undefined;
}

/** A resource to delete next. If there is none, the deletion is complete. */
export interface Deletion {
  readonly resourceID: string;
  readonly why: string;
}

/** Types in the order of deletion, dependants first. Other types, such as scale sets, have their own controllers. */
const ORDER: readonly (readonly string[])[] = [
  ["loadbalancers"],
  ["virtualnetworks"],
  ["networksecuritygroups", "routetables", "natgateways"],
  ["publicipaddresses"],
];

/**
 * Decides what to delete next: the whole group if the cluster owns it and all its resources are in it, otherwise one
 * resource after the other, dependants first. Only resources with the tag of this cluster are touched.
 */
export function decideDeletion(scene: DeletionScene): readonly Deletion[] {
  const { owner, group, groupID } = scene;
  const owned = scene.resources.filter((resource) => isOwned(resource, owner) && orderOf(resource) >= 0);
  const inGroup = normalizedId(`${groupID}/`);
  const isGroupOurs = group !== undefined && isOwned(group, owner) && !hasForeignNetwork(scene);
  const outside = owned.filter((resource) => !normalizedId(idOf(resource)).startsWith(inGroup));
  if (isGroupOurs && outside.length === 0) {
    return [
      { resourceID: groupID, why: "the cluster owns the resource group, and all its resources are in it" },
    ];
  }
  const first = Math.min(...owned.map(orderOf));
  return owned
    .filter((resource) => orderOf(resource) === first)
    .map((resource) => ({
      resourceID: idOf(resource),
      why: `${shortName(idOf(resource))} belongs to the cluster`,
    }));
}

/** A user's network in the cluster's group stays, and so does the group. */
function hasForeignNetwork({ networkID = "", groupID, resources, owner }: DeletionScene): boolean {
  if (!networkID.startsWith(normalizedId(`${groupID}/`))) return false;
  const network = resources.find((resource) => normalizedId(idOf(resource)) === networkID);
  return network !== undefined && !isOwned(network, owner);
}

function orderOf(resource: JsonObject): number {
  const [, , , , , , provider = "", type = "", ...rest] = normalizedId(idOf(resource)).split("/");
  if (provider !== "microsoft.network" || rest.length !== 1) return -1;
  return ORDER.findIndex((types) => types.includes(type));
}

function idOf(resource: JsonObject): string {
  return String(resource["id"]);
}
