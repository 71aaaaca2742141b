import { resourceNotFound } from "../arm/errors.ts";
import { resourceId, type Target } from "../arm/target.ts";
import type { Call } from "../core/call.ts";
import type { Resource } from "../core/resources.ts";
import type { AzureState } from "../core/azure-state.ts";

/** The outermost resource of a request; ARM's 404 when it does not exist or is not visible yet. */
export function foundResource(call: Call, world: AzureState): Resource {
  const { target } = call;
  const id = resourceId(target, target.types.slice(0, 1));
  const resource = world.resources.get(id);
  const isRead = call.method === "GET" || call.method === "HEAD";
  if (!resource || (isRead && resource.visibleMs > world.nowMs)) {
    throw resourceNotFound(`${target.provider}/${target.types[0]}/${target.names[0]}`, target.group ?? "");
  }
  return resource;
}

/** The group or subscription that a list request covers. */
function scopeOf({ subscription, group }: Target): string {
  const inSubscription = `/subscriptions/${subscription}`;
  return group === undefined ? inSubscription : `${inSubscription}/resourceGroups/${group}`;
}

/** The resources of a list: those that exist and are visible by now. */
export function* visibleIn(world: AzureState, target: Target, type: string): Generator<Resource> {
  for (const resource of world.resources.in(scopeOf(target), type)) {
    if (resource.visibleMs <= world.nowMs) yield resource;
  }
}
