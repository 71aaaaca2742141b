import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";
import { statusResponse } from "../http/response.ts";
import { ApiError, detailsOf } from "../http/status.ts";
import { attributesOf, type Caller, type User } from "./attributes.ts";
import { isAllowed, type PolicySource, refusal } from "./rbac.ts";
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
  return async (request) => {
    const user = userOf(request, userOfToken);
    if (isOpen(request) && (user || !request.headers["authorization"]))
      return await serve(request, { user: user ?? ANONYMOUS, userOfToken });
    if (!user) return statusResponse(UNAUTHORIZED.status);
    const overRate = isOverRate(user.name);
    if (overRate) return statusResponse(overRate.status);
    const attributes = attributesOf(request);
    if (!isAllowed(policy, user, attributes)) {
      const message = refusal(user, attributes);
      const details =
        "path" in attributes
          ? {}
          : detailsOf(
              { group: attributes.group, plural: attributes.resource.split("/")[0] ?? "" },
              attributes.name,
            );
      return statusResponse(new ApiError({ code: 403, reason: "Forbidden", message, details }).status);
    }
    return await serve(request, { user, userOfToken });
  };
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
