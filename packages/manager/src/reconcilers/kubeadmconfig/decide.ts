import type { JoinToken } from "../../bootstrap/join-token.ts";
import type { StoredData } from "./data-secret.ts";
import { endOf, isGood, type TokenPolicy } from "./token-policy.ts";

/** The input of the decision about the bootstrap data. */
export interface Facts {
  /** The content of the data Secret; undefined when it does not exist. */
  readonly stored: StoredData | undefined;
  /** Whether the data matches the config, its Secrets and its cluster. */
  readonly isCurrent: boolean;
  /** Whether a token is needed; a user may set one in the spec. */
  readonly needsToken: boolean;
  /** Whether a pool waits for fresh data. */
  readonly isAsked: boolean;
  /** The token of the requested machines: it may differ from the one in the data, or not exist yet. */
  readonly token: JoinToken | undefined;
  /** Whether the token exists in the workload cluster; read only when it matters. */
  readonly isKnown: boolean;
  readonly policy: TokenPolicy;
  readonly nowMs: number;
}

/** The next step, and the reason. */
export type Decision = { readonly why: string } & (
  | { readonly do: "keep" }
  /** Print the data again with the token that it has. */
  | { readonly do: "print" }
  /** Extend the token of the data, and print the data again. */
  | { readonly do: "prolongToken"; readonly token: JoinToken }
  /** Write another token ahead. */
  | { readonly do: "planToken" }
  /** Create the token that was written ahead, and print the data with it. */
  | { readonly do: "useToken"; readonly token: JoinToken }
);

/** Decides the next step towards bootstrap data that is current and, if requested, fresh. */
export function decideData(facts: Facts): Decision {
  const why = whyAnotherToken(facts);
  if (why !== undefined) {
    const { stored, policy, nowMs } = facts;
    const kept = keptToken(facts);
    if (kept) return { do: "prolongToken", token: { ...kept, expiresMs: endOf(policy, nowMs) }, why };
    // A token that was written ahead before a crash is used whether or not it was created, so there is never a third one.
    const next = stored?.next;
    return next && isGood(next, policy, nowMs)
      ? { do: "useToken", token: next, why }
      : { do: "planToken", why };
  }
  if (!facts.isCurrent) return { do: "print", why: whyPrint(facts) };
  return { do: "keep", why: "the bootstrap data is current" };
}

/**
 * The token to keep and extend, because the data of a model does not change. A token that disappeared from the cluster
 * before it expired was revoked by a user and must not be created again.
 */
function keptToken({ stored, token, isKnown, nowMs }: Facts): JoinToken | undefined {
  const { value, next } = stored ?? {};
  if (!token || value === undefined || next) return undefined;
  return isKnown || token.expiresMs <= nowMs ? token : undefined;
}

function whyAnotherToken({ stored, token, needsToken, ...facts }: Facts): string | undefined {
  if (!needsToken) return undefined;
  if (stored?.value === undefined || !stored.token) return "bootstrap data does not exist yet";
  if (token !== stored.token) return "the pool requested fresh bootstrap data for machines of another model";
  return whyNotAsItIs(token, facts);
}

function whyNotAsItIs(
  token: JoinToken,
  { isAsked, isKnown, policy, nowMs }: Pick<Facts, "isAsked" | "isKnown" | "policy" | "nowMs">,
): string | undefined {
  const endsSoon = !isGood(token, policy, nowMs);
  if (policy.renews && endsSoon) return "the join token expires soon";
  if (!isAsked) return undefined;
  if (endsSoon) return "the pool requested fresh bootstrap data, and the join token expires soon";
  return isKnown
    ? undefined
    : "the pool requested fresh bootstrap data, and the join token no longer exists in the cluster";
}

function whyPrint({ stored }: Facts): string {
  return stored?.value === undefined
    ? "bootstrap data does not exist yet"
    : "the config or one of its inputs has changed";
}
