import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";
import { statusResponse } from "../http/response.ts";
import { ApiError } from "../http/status.ts";
import { attributesOf, type Caller, type User } from "./attributes.ts";
import { forbidden } from "./forbidden.ts";
import { asksToImpersonate, effectiveUser } from "./impersonation.ts";
import { isAllowed, type PolicySource } from "./rbac.ts";
import { splitUrl } from "../request-url.ts";

/** How callers authenticate. */
export interface Authentication {
  /** The user of a bearer token; undefined if it is unknown or has expired. */
  userOfToken(token: string): User | undefined;
}

/** Answers a request on behalf of its caller. */
export type Serve = (request: HttpRequest, caller: Caller) => Promise<HttpResponse>;

const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The paths that are open to everyone: liveness, readiness and the version. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/livez", "/readyz", "/version"]);

const AUTHENTICATED = "system:authenticated";

interface Guarding {
  readonly authentication: Authentication;
  readonly policy: PolicySource;
  readonly isOverRate: (user: string) => ApiError | undefined;
}

/** Passes a request to the handler only if its caller is authenticated and authorized. */
export function guard(serve: Serve, { authentication, policy, isOverRate }: Guarding): Handler {
  const userOfToken = (token: string): User | undefined => {
    const user = authentication.userOfToken(token);
    return user && authenticated(user);
  };
  /** The user that an authenticated sender may act as here; throws an ApiError if there is none. */
  const authorized = (request: HttpRequest, sender: User): User => {
    const overRate = isOverRate(sender.name);
    if (overRate) throw overRate;
    const user = effectiveUser(request, sender, policy);
    const attributes = attributesOf(request);
    if (!isOpen(request) && !isAllowed(policy, user, attributes)) throw forbidden(user, attributes);
    return user;
  };
  return async (request) => {
    const sender = userOf(request, userOfToken);
    const isAnonymous = !request.headers["authorization"] && !asksToImpersonate(request);
    if (!sender && !(isOpen(request) && isAnonymous)) return statusResponse(UNAUTHORIZED.status);
    try {
      const user = sender ? authorized(request, sender) : ANONYMOUS;
      return await serve(await withBody(request), { user, userOfToken });
    } catch (error) {
      if (error instanceof ApiError) return statusResponse(error.status);
      throw error;
    }
  };
}

/** Only now is the body read: callers without permission cannot make the server store anything. */
async function withBody(request: HttpRequest): Promise<HttpRequest> {
  if (!request.readBody) return request;
  const { readBody, ...head } = request;
  const body = await readBody();
  return { ...head, ...(body !== undefined && { body }) };
}

const UNAUTHORIZED = new ApiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });

function isOpen({ method, path }: HttpRequest): boolean {
  return (method === "GET" || method === "HEAD") && OPEN_PATHS.has(splitUrl(path).path);
}

/** A client certificate comes first, because the handshake has verified it. An invalid token is never ignored. */
function userOf({ peer, headers }: HttpRequest, userOfToken: Caller["userOfToken"]): User | undefined {
  if (peer) return authenticated({ name: peer.commonName, groups: peer.organizations });
  const token = /^bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1];
  return token === undefined ? undefined : userOfToken(token);
}

function authenticated(user: User): User {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}
