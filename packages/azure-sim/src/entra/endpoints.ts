import { type Answer, reply } from "../arm/answer.ts";
import type { SimRequest } from "../core/call.ts";
import type { AzureState } from "../core/azure-state.ts";
import { isObject, textAt } from "../json.ts";
import type { Principal } from "../settings.ts";
import { cloudAnswer } from "./cloud.ts";
import type { Tokens } from "./tokens.ts";

interface Entra {
  readonly tokens: Tokens;
  readonly world: AzureState;
  /** The caller's time: tokens and assertions are checked against it. */
  readonly callerMs: number;
}

const CONFIGURATION = /^\/([^/]+)\/v2\.0\/\.well-known\/openid-configuration$/i;
const TOKEN = /^\/([^/]+)\/oauth2\/v2\.0\/token$/i;
const MANAGED_IDENTITY = "/metadata/identity/oauth2/token";

/** Answers requests to Entra and to a VM's metadata service; undefined for every other request. */
export function entraAnswer(request: SimRequest, entra: Entra): Answer | undefined {
  const [path = "", query = ""] = request.path.split("?");
  const configuration = CONFIGURATION.exec(path)?.[1];
  if (configuration !== undefined) return openIdConfiguration(request, configuration, entra);
  const tenant = TOKEN.exec(path)?.[1];
  if (tenant !== undefined && request.method === "POST") return tokenFor(tenant, formOf(request.body), entra);
  if (path === MANAGED_IDENTITY) return managedIdentityToken(request, new URLSearchParams(query), entra);
  return cloudAnswer(path, request, entra.world);
}

function openIdConfiguration(request: SimRequest, tenant: string, { world }: Entra): Answer {
  const origin = request.origin ?? world.settings.origin;
  if (!isTenant(world, tenant)) return unknownTenant(tenant, world);
  return reply(200, {
    token_endpoint: `${origin}/${tenant}/oauth2/v2.0/token`,
    authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/authorize`,
    jwks_uri: `${origin}/${tenant}/discovery/v2.0/keys`,
    issuer: `${origin}/${tenant}/v2.0`,
    response_types_supported: ["code", "id_token", "token"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
    tenant_region_scope: "WW",
  });
}

function isTenant(world: AzureState, tenant: string): boolean {
  return world.settings.principals.some(({ tenantId }) => tenantId.toLowerCase() === tenant.toLowerCase());
}

/** The body of a token request: a form, as text or parsed. */
function formOf(body: unknown): URLSearchParams {
  if (typeof body === "string") return new URLSearchParams(body);
  if (body instanceof Uint8Array) return new URLSearchParams(Buffer.from(body).toString("utf8"));
  return new URLSearchParams(isObject(body) ? (body as { [name: string]: string }) : {});
}

function tokenFor(tenant: string, form: URLSearchParams, { tokens, world, callerMs }: Entra): Answer {
  if (!isTenant(world, tenant)) return unknownTenant(tenant, world);
  const clientId = form.get("client_id") ?? "";
  const principal = world.settings.principals.find(
    (one) => one.clientId === clientId && one.tenantId.toLowerCase() === tenant.toLowerCase(),
  );
  if (!principal) {
    return refused(world, {
      status: 400,
      error: "unauthorized_client",
      number: 700016,
      why: `Application with identifier '${clientId}' was not found in the directory '${tenant}'.`,
    });
  }
  if (form.get("grant_type") !== "client_credentials") {
    return refused(world, {
      status: 400,
      error: "unsupported_grant_type",
      number: 70003,
      why: `The app requested an unsupported grant type '${form.get("grant_type")}'.`,
    });
  }
  const problem = credentialProblem(principal, form, callerMs);
  if (problem) return refused(world, problem);
  const audience = audienceOf(form.get("scope") ?? "");
  const issued = tokens.issue(principal, audience, callerMs);
  return reply(200, {
    token_type: "Bearer",
    expires_in: issued.expiresInSeconds,
    ext_expires_in: issued.expiresInSeconds,
    access_token: issued.token,
  });
}

/** Clients ask for OpenID's scopes beside that of the resource, in any order. */
function audienceOf(scopes: string): string {
  const scope = scopes.split(" ").find((one) => one.endsWith("/.default")) ?? scopes;
  return scope.replace(/\/\.default$/, "");
}

interface TokenError {
  readonly status: number;
  readonly error: string;
  /** Entra's error number: AADSTS… */
  readonly number: number;
  readonly why: string;
}

function credentialProblem(
  principal: Principal,
  form: URLSearchParams,
  callerMs: number,
): TokenError | undefined {
  const assertion = form.get("client_assertion");
  if (assertion !== null) return assertionProblem(principal, assertion, callerMs);
  const secret = form.get("client_secret");
  if (secret !== null && secret === principal.clientSecret) return undefined;
  const why = `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${principal.clientId}'.`;
  return { status: 401, error: "invalid_client", number: 7000215, why };
}

/** Workload identity: the assertion names a service account that the application trusts. The signature is not checked. */
function assertionProblem(principal: Principal, assertion: string, callerMs: number): TokenError | undefined {
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return {
      status: 401,
      error: "invalid_client",
      number: 50027,
      why: "The client assertion is not a valid token.",
    };
  }
  const [issuer, subject] = [textAt(claims, "iss"), textAt(claims, "sub")];
  const isKnown =
    principal.federated?.some((one) => one.issuer === issuer && one.subject === subject) ?? false;
  if (!isKnown) {
    const why = `No matching federated identity record found for presented assertion subject '${subject}'. Check your federated identity credential Subject, Audience and Issuer against the presented assertion.`;
    return { status: 401, error: "invalid_client", number: 70021, why };
  }
  const expires = isObject(claims) ? Number(claims["exp"]) : NaN;
  if (expires * 1000 <= callerMs) {
    return {
      status: 401,
      error: "invalid_client",
      number: 700024,
      why: "Client assertion is not within its valid time range.",
    };
  }
  return undefined;
}

function refused(world: AzureState, { status, error, number, why }: TokenError): Answer {
  return reply(status, {
    error,
    error_description: `AADSTS${number}: ${why}`,
    error_codes: [number],
    timestamp: new Date(world.nowMs).toISOString().replace("T", " ").slice(0, 19) + "Z",
    error_uri: `https://login.microsoftonline.com/error?code=${number}`,
  });
}

function unknownTenant(tenant: string, world: AzureState): Answer {
  const why = `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.`;
  return refused(world, { status: 400, error: "invalid_request", number: 90002, why });
}

function managedIdentityToken(request: SimRequest, query: URLSearchParams, entra: Entra): Answer {
  const { tokens, world, callerMs } = entra;
  if (request.headers["metadata"]?.toLowerCase() !== "true") {
    return reply(400, {
      error: "invalid_request",
      error_description: "Required metadata header not specified",
    });
  }
  const clientId = query.get("client_id");
  const principal = world.settings.principals.find(
    (one) => one.isManagedIdentity === true && (clientId === null || one.clientId === clientId),
  );
  if (!principal) return reply(400, { error: "invalid_request", error_description: "Identity not found" });
  const audience = query.get("resource") ?? "";
  const issued = tokens.issue(principal, audience, callerMs);
  return reply(200, {
    access_token: issued.token,
    client_id: principal.clientId,
    expires_in: String(issued.expiresInSeconds),
    expires_on: String(Math.floor(issued.expiresMs / 1000)),
    resource: audience,
    token_type: "Bearer",
  });
}
