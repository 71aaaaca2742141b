import { ArmError } from "../../arm/errors.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";

/** Refuses to delete a resource that another one uses; the error code depends on the type. */
export function inUseBy(world: AzureState, resource: Resource, code: string): ArmError | undefined {
  const [user] = world.resources.usersOf(resource.id);
  if (user === undefined) return undefined;
  return new ArmError(400, {
    code,
    message: `${resource.type} ${resource.name} cannot be deleted because it is in use by the following resource: ${world.resources.get(user)?.id ?? user}.`,
    details: [],
  });
}
