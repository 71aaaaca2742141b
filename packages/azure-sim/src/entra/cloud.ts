import { type Answer, reply } from "../arm/answer.ts";
import type { AzureState } from "../core/azure-state.ts";
import type { SimRequest } from "../core/call.ts";
import { ARM_AUDIENCES } from "./tokens.ts";

const INSTANCE_DISCOVERY = /^\/[^/]+\/discovery\/instance$/i;
const METADATA = /^\/metadata\/endpoints\/?$/i;

/** Answers the questions about this cloud that clients ask before they have a token; undefined for every other request. */
export function cloudAnswer(path: string, request: SimRequest, world: AzureState): Answer | undefined {
  if (INSTANCE_DISCOVERY.test(path)) return instanceDiscovery(request, world);
  return METADATA.test(path) ? cloudMetadata(request, world) : undefined;
}

/** Azure's libraries ask whether the authority is one that they may trust: this one vouches for itself. */
function instanceDiscovery(request: SimRequest, world: AzureState): Answer {
  const origin = request.origin ?? world.settings.origin;
  const { host } = new URL(origin);
  const tenant = world.settings.principals[0]?.tenantId ?? "common";
  return reply(200, {
    tenant_discovery_endpoint: `${origin}/${tenant}/v2.0/.well-known/openid-configuration`,
    "api-version": "1.1",
    metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
  });
}

/** The endpoints of this cloud, by which clients find Entra; they have no token yet. */
function cloudMetadata(request: SimRequest, world: AzureState): Answer {
  const origin = request.origin ?? world.settings.origin;
  const authentication = {
    loginEndpoint: `${origin}/`,
    audiences: ARM_AUDIENCES.map((audience) => `${audience}/`),
    tenant: "common",
    identityProvider: "AAD",
  };
  return reply(200, [{ name: "AzureCloud", resourceManager: `${origin}/`, authentication, suffixes: {} }]);
}
