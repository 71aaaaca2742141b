import { Scheduler, VirtualProcess } from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { AzureError } from "../port.ts";
import { renewedTokens } from "./renewal.ts";
import type { TokenSource } from "./token-source.ts";

const MINUTE_MS = 60_000;

test("no request is sent before Entra's Retry-After has passed", async () => {
  const scheduler = new Scheduler({ seed: "tokens" });
  let asked = 0;
  const tokens = renewedTokens({
    principal: "t/c",
    clock: new VirtualProcess(scheduler, "p").clock,
    acquire: () => {
      asked++;
      const refused = { class: "Throttled", code: "TooManyRequests", message: "slowly" } as const;
      throw new AzureError({ ...refused, retryAfterMs: MINUTE_MS });
    },
  });
  await expect(tokens.token()).rejects.toMatchObject({ retryAfterMs: MINUTE_MS });
  await scheduler.advance(20_000);
  tokens.forget();
  await expect(tokens.token()).rejects.toMatchObject({ class: "Throttled", retryAfterMs: 40_000 });
  expect(asked).toBe(1);
  await scheduler.advance(40_000);
  await expect(tokens.token()).rejects.toMatchObject({ retryAfterMs: MINUTE_MS });
  expect(asked).toBe(2);
});

function create(lifetimeMs: number): {
  scheduler: Scheduler;
  tokens: TokenSource;
  entra: { asked: number; isDown: boolean };
  show: () => Promise<string>;
} {
  const scheduler = new Scheduler({ seed: "tokens" });
  const entra = { asked: 0, isDown: false };
  const tokens = renewedTokens({
    principal: "t/c",
    clock: new VirtualProcess(scheduler, "p").clock,
    acquire: async () => {
      entra.asked++;
      if (entra.isDown) throw new Error("down");
      return { token: new Sensitive(`token ${entra.asked}`), lifetimeMs };
    },
  });
  return { scheduler, tokens, entra, show: async () => (await tokens.token()).reveal() };
}

describe("tokens", () => {
  test("are kept until shortly before they expire", async () => {
    const { scheduler, show } = create(60 * MINUTE_MS);
    expect(await show()).toBe("token 1");
    await scheduler.advance(54 * MINUTE_MS);
    expect(await show()).toBe("token 1");
    await scheduler.advance(MINUTE_MS);
    expect(await show()).toBe("token 2");
  });

  test("with a short lifetime are renewed in time too", async () => {
    const { scheduler, show } = create(MINUTE_MS);
    await show();
    await scheduler.advance(47_000);
    expect(await show()).toBe("token 1");
    await scheduler.advance(1000);
    expect(await show()).toBe("token 2");
  });

  test("do not depend on the wall clock", async () => {
    const { scheduler, show } = create(60 * MINUTE_MS);
    await show();
    scheduler.jumpWallClock(365 * 24 * 60 * MINUTE_MS);
    expect(await show()).toBe("token 1");
  });

  test("are requested once for all waiting callers", async () => {
    const { entra, show } = create(60 * MINUTE_MS);
    expect(await Promise.all([show(), show(), show()])).toEqual(["token 1", "token 1", "token 1"]);
    expect(entra.asked).toBe(1);
  });

  test("are used until they expire while Entra is unreachable, and no longer", async () => {
    const { scheduler, entra, show } = create(60 * MINUTE_MS);
    await show();
    entra.isDown = true;
    await scheduler.advance(58 * MINUTE_MS);
    expect(await show()).toBe("token 1");
    await scheduler.advance(2 * MINUTE_MS);
    await expect(show()).rejects.toThrow("down");
    entra.isDown = false;
    expect(await show()).toBe("token 4");
  });

  test("that Azure rejected are not used again", async () => {
    const { tokens, show } = create(60 * MINUTE_MS);
    await show();
    tokens.forget();
    expect(await show()).toBe("token 2");
  });
});
