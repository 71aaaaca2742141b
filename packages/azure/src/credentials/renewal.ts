import type { Clock } from "@capstan/env";
import type { Sensitive } from "@capstan/runtime";
import { AzureError } from "../port.ts";
import type { TokenSource } from "./token-source.ts";

/** A newly issued token. */
export interface FreshToken {
  readonly token: Sensitive;
  /** Its lifetime from the time of the request. */
  readonly lifetimeMs: number;
}

export interface RenewalOptions {
  readonly principal: string;
  readonly clock: Clock;
  readonly acquire: () => Promise<FreshToken>;
}

// Tokens are valid for an hour or more; five minutes are longer than any request takes.
const MARGIN_MS = 5 * 60_000;
// Short-lived tokens use a fifth of their lifetime as the margin instead.
const MARGIN_SHARE = 0.2;

interface Current {
  readonly token: Sensitive;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * Caches a token and renews it before it expires. Its lifetime is counted on the monotonic clock, so that neither a jump
 * of the wall clock nor virtual time affects it.
 */
export function renewedTokens({ principal, clock, acquire }: RenewalOptions): TokenSource {
  let current: Current | undefined;
  let flight: Promise<Current> | undefined;
  let refusal: { readonly error: AzureError; readonly untilMs: number } | undefined;
  /** All callers wait for a Retry-After that Entra has sent to one of them. */
  const ask = async (): Promise<FreshToken> => {
    const waitMs = (refusal?.untilMs ?? 0) - clock.monotonic();
    if (refusal && waitMs > 0) throw delayed(refusal.error, waitMs);
    try {
      return await acquire();
    } catch (error) {
      const { retryAfterMs } = error instanceof AzureError ? error : {};
      if (error instanceof AzureError && retryAfterMs !== undefined) {
        refusal = { error, untilMs: clock.monotonic() + retryAfterMs };
      }
      throw error;
    }
  };
  const renew = async (): Promise<Current> => {
    const askedAtMs = clock.monotonic();
    const { token, lifetimeMs } = await ask();
    const marginMs = Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE);
    const expiresAtMs = askedAtMs + lifetimeMs;
    return { token, expiresAtMs, renewAtMs: expiresAtMs - marginMs };
  };
  const share = (): Promise<Current> => {
    flight ??= renew().finally(() => {
      flight = undefined;
    });
    return flight;
  };
  return {
    principal,
    token: async () => {
      const known = current;
      if (known && clock.monotonic() < known.renewAtMs) return known.token;
      try {
        current = await share();
        return current.token;
      } catch (error) {
        // While Entra is unreachable, the old token is used until it expires.
        if (known && known === current && clock.monotonic() < known.expiresAtMs) return known.token;
        throw error;
      }
    },
    forget: () => {
      current = undefined;
    },
  };
}

function delayed({ class: meaning, code, message, status }: AzureError, retryAfterMs: number): AzureError {
  return new AzureError({
    class: meaning,
    code,
    message,
    retryAfterMs,
    ...(status !== undefined && { status }),
  });
}
