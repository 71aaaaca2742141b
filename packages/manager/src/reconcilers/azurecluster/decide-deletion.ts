import type { JsonObject } from "../../azure/port.ts";
import { shortName } from "./decide.ts";
import { normalizedId } from "../../azure/normalized-id.ts";
import { isOwned, type Owner } from "../../azure-cluster/tags.ts";

/** Everything that is known when it is decided what to delete. */
export interface DeletionScene {
  readonly owner: Owner;
  readonly groupID: string;
  /** The cluster's resource group; undefined when it is not there. */
  readonly group: JsonObject | undefined;
  /** Everything in the group and in that of the virtual network, with its tags. */
  readonly resources: readonly JsonObject[];
  /** The folded id of the virtual network. */
  readonly networkID: string | undefined;
}

/** What is to go next. Nothing means that all is gone. */
export interface Deletion {
  readonly resourceID: string;
  readonly why: string;
}

/** What is deleted together, before what it uses. Others' types, machines above all, have their own controllers. */
const ORDER: readonly (readonly string[])[] = [
  ["loadbalancers"],
  ["virtualnetworks"],
  ["networksecuritygroups", "routetables", "natgateways"],
  ["publicipaddresses"],
];

/**
 * Decides what goes next: the whole group where it is ours and everything of ours is in it, else resource by resource,
 * users before what they use. Only what bears the tag of this very cluster is ever touched.
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

/** A network that the user put into our group stays, and the group with it. */
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
