import { reply } from "../../arm/answer.ts";
import { ArmError } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Verb } from "../resource-type.ts";

function subscriptionBody(world: AzureState, id: string): unknown {
  return {
    id: `/subscriptions/${id}`,
    subscriptionId: id,
    tenantId: world.settings.principals[0]?.tenantId,
    displayName: "Simulated subscription",
    state: "Enabled",
  };
}

/** Refuses a subscription that does not exist. */
export function checkSubscription(world: AzureState, id: string): void {
  if (world.settings.subscriptions.some((one) => one.toLowerCase() === id.toLowerCase())) return;
  throw new ArmError(404, {
    code: "SubscriptionNotFound",
    message: `The subscription '${id}' could not be found.`,
  });
}

/** All subscriptions. */
export const listSubscriptions: Verb = (_call, world) =>
  reply(200, { value: world.settings.subscriptions.map((id) => subscriptionBody(world, id)) });

/** One subscription. */
export const getSubscription: Verb = (call, world) =>
  reply(200, subscriptionBody(world, call.target.subscription ?? ""));

/** The regions of a subscription. */
export const listLocations: Verb = (call, world) =>
  reply(200, {
    value: world.settings.regions.map((name) => ({
      id: `/subscriptions/${call.target.subscription}/locations/${name}`,
      name,
      type: "Region",
      displayName: name,
      regionalDisplayName: name,
    })),
  });
