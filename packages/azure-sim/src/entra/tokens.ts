import { createHash, createHmac } from "node:crypto";
import { ArmError } from "../arm/errors.ts";
import { isObject, textAt, valueAt, type JsonObject } from "../json.ts";
import type { Principal } from "../settings.ts";

/** The audiences for which ARM accepts tokens. */
export const ARM_AUDIENCES = ["https://management.azure.com", "https://management.core.windows.net"];

// Entra's lifetime of a token: an hour less one second.
const LIFETIME_SECONDS = 3599;

/** An issued token. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly expiresMs: number;
}

/** A verified token; only its expiry must still be checked. */
interface Verified {
  readonly principal: Principal;
  readonly expiresMs: number;
}

// Each of a few callers uses one token for thousands of requests.
const MOST_VERIFIED = 1000;

/** Issues and verifies tokens. They look like Entra's and are signed with the seed. */
export class Tokens {
  readonly #secret: string;
  readonly #principals: readonly Principal[];
  readonly #verified = new Map<string, Verified>();
  /** The principal of the control API; no caller can sign in as this one. */
  readonly operator: Principal;

  constructor(seed: string, principals: readonly Principal[]) {
    this.#secret = createHash("sha256").update(`tokens of ${seed}`).digest("hex");
    this.operator = {
      tenantId: principals[0]?.tenantId ?? "",
      clientId: "simulated-operator",
      objectId: "simulated-operator",
    };
    this.#principals = [...principals, this.operator];
  }

  /** Issues a token for an audience. It is valid in the caller's time, which may differ from the cloud's. */
  issue(principal: Principal, audience: string, callerMs: number): IssuedToken {
    const expiresMs = callerMs + LIFETIME_SECONDS * 1000;
    const claims = {
      aud: audience,
      iss: `https://sts.windows.net/${principal.tenantId}/`,
      iat: Math.floor(callerMs / 1000),
      nbf: Math.floor(callerMs / 1000),
      exp: Math.floor(expiresMs / 1000),
      appid: principal.clientId,
      oid: principal.objectId,
      tid: principal.tenantId,
      ver: "1.0",
    };
    const text = `${encoded({ typ: "JWT", alg: "HS256" })}.${encoded(claims)}`;
    return { token: `${text}.${this.#sign(text)}`, expiresInSeconds: LIFETIME_SECONDS, expiresMs };
  }

  /** The principal of an Authorization header; throws ARM's refusal for an invalid one. */
  principalOf(authorization: string | undefined, callerMs: number): Principal {
    const known = this.#verified.get(authorization ?? "") ?? this.#verify(authorization);
    checkExpiry(known.expiresMs, callerMs);
    return known.principal;
  }

  #verify(authorization: string | undefined): Verified {
    const token = /^bearer (.+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) {
      throw unauthorized(
        "AuthenticationFailed",
        "Authentication failed. The 'Authorization' header is missing.",
      );
    }
    const claims = this.#claims(token);
    const tenant = textAt(claims, "tid");
    if (this.#principals.every(({ tenantId }) => tenantId !== tenant))
      throw wrongTenant(tenant, this.#principals);
    if (!this.#isSigned(token))
      throw unauthorized("InvalidAuthenticationToken", "The access token is invalid.");
    checkAudience(textAt(claims, "aud"));
    const principal = this.#principals.find(({ clientId }) => clientId === textAt(claims, "appid"));
    if (!principal)
      throw unauthorized("InvalidAuthenticationToken", "The access token is from an unknown application.");
    const verified = { principal, expiresMs: Number(valueAt(claims, "exp")) * 1000 };
    if (this.#verified.size === MOST_VERIFIED) this.#verified.clear();
    this.#verified.set(authorization ?? "", verified);
    return verified;
  }

  #claims(token: string): JsonObject | undefined {
    try {
      const claims: unknown = JSON.parse(
        Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"),
      );
      return isObject(claims) ? claims : undefined;
    } catch {
      throw unauthorized("InvalidAuthenticationToken", "The access token is invalid.");
    }
  }

  #isSigned(token: string): boolean {
    const end = token.lastIndexOf(".");
    return this.#sign(token.slice(0, end)) === token.slice(end + 1);
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function checkAudience(given: string | undefined): void {
  const audience = (given ?? "").replace(/\/+$/, "");
  if (ARM_AUDIENCES.includes(audience)) return;
  throw unauthorized(
    "InvalidAuthenticationTokenAudience",
    `The access token has been obtained for wrong audience or resource '${audience}'. It should exactly match with one of the allowed audiences '${ARM_AUDIENCES.join("/','")}/'.`,
  );
}

function checkExpiry(expiresMs: number, nowMs: number): void {
  if (expiresMs > nowMs) return;
  throw unauthorized(
    "ExpiredAuthenticationToken",
    `The access token expiry UTC time '${new Date(expiresMs).toISOString()}' is earlier than current UTC time '${new Date(nowMs).toISOString()}'.`,
  );
}

function wrongTenant(tenant: string | undefined, principals: readonly Principal[]): ArmError {
  const right = principals[0]?.tenantId ?? "";
  return unauthorized(
    "InvalidAuthenticationTokenTenant",
    `The access token is from the wrong issuer 'https://sts.windows.net/${tenant}/'. It must match the tenant 'https://sts.windows.net/${right}/' associated with this subscription. Please use the authority (URL) 'https://login.windows.net/${right}' to get the token.`,
  );
}

function unauthorized(code: string, message: string): ArmError {
  return new ArmError(
    401,
    { code, message },
    {
      headers: {
        "www-authenticate": `Bearer authorization_uri="https://login.windows.net/", error="invalid_token", error_description="${message.replaceAll('"', "'")}"`,
      },
    },
  );
}
