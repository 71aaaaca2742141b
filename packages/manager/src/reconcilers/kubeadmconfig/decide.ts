import type { JoinToken } from "../../bootstrap/join-token.ts";
import type { StoredData } from "./data-secret.ts";
import { endOf, isGood, type TokenPolicy } from "./token-policy.ts";

/** Everything that decides what becomes of the bootstrap data. */
export interface Facts {
  /** What the data Secret holds; undefined when there is none. */
  readonly stored: StoredData | undefined;
  /** Whether the data in it is what the config, its Secrets and its cluster say now. */
  readonly isCurrent: boolean;
  /** Whether a token must be made; users may bring their own. */
  readonly needsToken: boolean;
  /** Whether somebody waits for fresh data. */
  readonly isAsked: boolean;
  /** The token of the machines that are asked for: it may not be in the data now, or not be there yet. */
  readonly token: JoinToken | undefined;
  /** Whether the workload cluster knows it; that is looked at only when it matters. */
  readonly isKnown: boolean;
  readonly policy: TokenPolicy;
  readonly nowMs: number;
}

/** What to do, and why. */
export type Decision = { readonly why: string } & (
  | { readonly do: "keep" }
  /** Print the data again, with the token that is in it. */
  | { readonly do: "print" }
  /** Give the token that is in the data more time, and print the data again. */
  | { readonly do: "prolongToken"; readonly token: JoinToken }
  /** Write another token ahead. */
  | { readonly do: "planToken" }
  /** Make the token that was written ahead, and print the data with it. */
  | { readonly do: "useToken"; readonly token: JoinToken }
);

/** Decides the next step towards bootstrap data that is current and, where it must be, fresh. */
export function decideData(facts: Facts): Decision {
  const why = whyAnotherToken(facts);
  if (why !== undefined) {
    const { stored, policy, nowMs } = facts;
    const kept = keptToken(facts);
    if (kept) return { do: "prolongToken", token: { ...kept, expiresMs: endOf(policy, nowMs) }, why };
    // A token that was written ahead just before a crash is used, whether or not it was made: so there is never a third.
    const next = stored?.next;
    return next && isGood(next, policy, nowMs)
      ? { do: "useToken", token: next, why }
      : { do: "planToken", why };
  }
  if (!facts.isCurrent) return { do: "print", why: whyPrint(facts) };
  return { do: "keep", why: "the bootstrap data is current" };
}

/**
 * The token that stays, with more time: the data of a model does not change. One that the cluster has forgotten before
 * its time was taken back by somebody, who must not find it there again.
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
