import { reply } from "../../arm/answer.ts";
import { invalidNamespace } from "../../arm/api-version.ts";
import { ArmError } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Verb } from "../resource-type.ts";

/** The types of each namespace, filled from the registry. */
export type Namespaces = ReadonlyMap<string, { readonly name: string; readonly types: readonly string[] }>;

function keyOfRegistration(subscription: string | undefined, namespace: string): string {
  return `${subscription}/${namespace}`.toLowerCase();
}

function stateOf(world: AzureState, subscription: string | undefined, namespace: string): string {
  return world.registrations.get(keyOfRegistration(subscription, namespace)) ?? "Registered";
}

function providerBody(
  world: AzureState,
  subscription: string | undefined,
  provider: { name: string; types: readonly string[] },
): unknown {
  return {
    id: `/subscriptions/${subscription}/providers/${provider.name}`,
    namespace: provider.name,
    registrationPolicy: "RegistrationRequired",
    registrationState: stateOf(world, subscription, provider.name),
    resourceTypes: provider.types.map((resourceType) => ({
      resourceType,
      locations: world.settings.regions,
      apiVersions: ["2026-04-01", "2026-01-01", "2025-04-01", "2024-07-01", "2024-03-01"],
    })),
  };
}

/** The verbs of providers in a subscription: read and register. */
export function providerVerbs(namespaces: Namespaces): {
  get: Verb;
  list: Verb;
  register: Verb;
  unregister: Verb;
} {
  const found = (name: string): { name: string; types: readonly string[] } => {
    const provider = namespaces.get(name.toLowerCase());
    if (!provider) throw invalidNamespace(name);
    return provider;
  };
  const change =
    (state: string): Verb =>
    (call, world) => {
      const provider = found(call.target.provider ?? "");
      world.registrations.set(keyOfRegistration(call.target.subscription, provider.name), state);
      return reply(200, providerBody(world, call.target.subscription, provider));
    };
  return {
    get: (call, world) =>
      reply(200, providerBody(world, call.target.subscription, found(call.target.provider ?? ""))),
    list: (call, world) =>
      reply(200, {
        value: [...namespaces.values()].map((one) => providerBody(world, call.target.subscription, one)),
      }),
    register: change("Registered"),
    unregister: change("Unregistered"),
  };
}

/** Refuses writes to a namespace that the subscription has not registered. */
export function checkRegistered(
  world: AzureState,
  subscription: string | undefined,
  namespace: string,
): void {
  if (stateOf(world, subscription, namespace) === "Registered") return;
  throw new ArmError(409, {
    code: "MissingSubscriptionRegistration",
    message: `The subscription is not registered to use namespace '${namespace}'. See https://aka.ms/rps-not-found for how to register subscriptions.`,
    details: [
      {
        code: "MissingSubscriptionRegistration",
        target: namespace,
        message: `The subscription is not registered to use namespace '${namespace}'. See https://aka.ms/rps-not-found for how to register subscriptions.`,
      },
    ],
  });
}
