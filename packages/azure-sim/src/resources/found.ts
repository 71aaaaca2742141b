import { resourceNotFound } from "../arm/errors.ts";
import { resourceId, type Target } from "../arm/target.ts";
import type { Call } from "../core/call.ts";
import type { Resource } from "../core/resources.ts";
import type { AzureState } from "../core/azure-state.ts";

/** The outermost resource that a request is about; ARM's 404 when it is not there, or not to be seen yet. */
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

/** The group or subscription whose resources a list is about. */
function scopeOf({ subscription, group }: Target): string {
  const inSubscription = `/subscriptions/${subscription}`;
  return group === undefined ? inSubscription : `${inSubscription}/resourceGroups/${group}`;
}

/** What a list shows: what is there and can be seen by now. */
export function* visibleIn(world: AzureState, target: Target, type: string): Generator<Resource> {
  for (const resource of world.resources.in(scopeOf(target), type)) {
    if (resource.visibleMs <= world.nowMs) yield resource;
  }
}
