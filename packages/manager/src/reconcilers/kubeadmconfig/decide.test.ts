import { Sensitive } from "@capstan/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StoredData } from "./data-secret.ts";
import { decideData, type Facts } from "./decide.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-01-01T00:00:00Z");
const token = (hours: number) => ({
  text: new Sensitive("abcdef.0123456789abcdef"),
  expiresMs: NOW + hours * HOUR_MS,
});
const OTHER = { text: new Sensitive("zyxwvu.fedcba9876543210"), expiresMs: NOW + 2 * HOUR_MS };
const stored = (changes: Partial<StoredData> = {}): StoredData => ({
  value: "data",
  token: token(2),
  model: undefined,
  earlier: new Map(),
  authority: undefined,
  next: undefined,
  ...changes,
});
/** By default, the requested token is the one in the data. */
const facts = (changes: Partial<Facts> & Pick<Facts, "stored">): Facts => ({
  isCurrent: true,
  needsToken: true,
  isAsked: false,
  token: changes.stored?.token,
  isKnown: true,
  policy: { ttlMs: 2 * HOUR_MS, enoughMs: HOUR_MS, renews: false },
  nowMs: NOW,
  ...changes,
});
const RENEWS = { ttlMs: 168 * HOUR_MS, enoughMs: 84 * HOUR_MS, renews: true };

describe("bootstrap data", () => {
  test.each<[string, Facts["stored"], Partial<Facts>, string]>([
    ["is planned with a token when there is none", undefined, {}, "planToken"],
    ["is planned again when a Secret lost its value", stored({ value: undefined }), {}, "planToken"],
    ["is planned again when its token cannot be read", stored({ token: undefined }), {}, "planToken"],
    [
      "uses the token that was written ahead",
      { ...stored({ next: token(2) }), value: undefined },
      {},
      "useToken",
    ],
    [
      "drops a token that was written ahead long ago",
      { ...stored({ next: token(0.5) }), value: undefined },
      {},
      "planToken",
    ],
    ["is kept, settled, with a token that expired long ago", stored({ token: token(-500) }), {}, "keep"],
    [
      "is printed again with that token when the spec changes",
      stored({ token: token(-500) }),
      { isCurrent: false },
      "print",
    ],
    [
      "is kept for a request while its token is valid for an hour",
      stored({ token: token(1) }),
      { isAsked: true },
      "keep",
    ],
    [
      "extends its token for a request when it is not",
      stored({ token: token(0.99) }),
      { isAsked: true },
      "prolongToken",
    ],
    [
      "keeps its token for a request when it has expired and is gone",
      stored({ token: token(-500) }),
      { isAsked: true, isKnown: false },
      "prolongToken",
    ],
    [
      "gets another token for machines of another model",
      stored(),
      { isAsked: true, token: undefined },
      "planToken",
    ],
    [
      "gets its earlier token again when their model comes back",
      stored(),
      { isAsked: true, token: OTHER },
      "prolongToken",
    ],
    [
      "gets its earlier token again when that has expired and is gone",
      stored(),
      { isAsked: true, token: { ...OTHER, expiresMs: NOW - HOUR_MS }, isKnown: false },
      "prolongToken",
    ],
    [
      "gets another token when a user has revoked the earlier one",
      stored(),
      { isAsked: true, token: OTHER, isKnown: false },
      "planToken",
    ],
    [
      "gets another token for a request when a user has revoked the first one",
      stored(),
      { isAsked: true, isKnown: false },
      "planToken",
    ],
    [
      "gets another token when the one that expires soon was revoked",
      stored({ token: token(0.5) }),
      { isAsked: true, isKnown: false },
      "planToken",
    ],
    [
      "uses another token that was written ahead",
      stored({ token: token(0.5), next: token(2) }),
      { isAsked: true },
      "useToken",
    ],
    [
      "is printed for a request when a Secret in it has changed",
      stored(),
      { isAsked: true, isCurrent: false },
      "print",
    ],
    [
      "is renewed at half of its lifetime without a request",
      stored({ token: token(83.9) }),
      { policy: RENEWS },
      "prolongToken",
    ],
    ["is not renewed before that", stored({ token: token(84) }), { policy: RENEWS }, "keep"],
    ["with a user's token is only printed", undefined, { needsToken: false, isCurrent: false }, "print"],
    [
      "with a user's token is never renewed",
      stored({ token: undefined }),
      { needsToken: false, policy: RENEWS, isAsked: true },
      "keep",
    ],
  ])("%s", (_, data, changes, expected) => {
    const decision = decideData(facts({ ...changes, stored: data }));
    expect(decision.do).toBe(expected);
    expect(decision.why).not.toBe("");
  });

  test("is settled after the decision is carried out", () => {
    const hours = fc.option(fc.integer({ min: -200, max: 200 }).map(token), { nil: undefined });
    const data = fc.option(
      fc.record({
        value: fc.constantFrom("data", undefined),
        token: hours,
        next: hours,
        model: fc.constant(undefined),
        earlier: fc.constant(new Map()),
        authority: fc.constant(undefined),
      }),
      { nil: undefined },
    );
    const situation = fc.record({
      stored: data,
      isCurrent: fc.boolean(),
      needsToken: fc.boolean(),
      asks: fc.constantFrom("not at all", "for the same model", "for a new one", "for an earlier one"),
      isKnown: fc.boolean(),
      renews: fc.boolean(),
    });
    fc.assert(
      fc.property(situation, ({ renews, asks, ...given }) => {
        const policy = { ttlMs: 2 * HOUR_MS, enoughMs: HOUR_MS, renews };
        const asked = { "for a new one": undefined, "for an earlier one": OTHER };
        const own = asks in asked ? { token: asked[asks as keyof typeof asked] } : {};
        let now = facts({ ...given, ...own, isAsked: asks !== "not at all", policy });
        for (let step = 0; step < 2; step++) now = done(now);
        expect(decideData(now).do).toBe("keep");
      }),
    );
  });
});

/** The facts after a decision was carried out. */
function done(now: Facts): Facts {
  const decision = decideData(now);
  const finished = (used: Facts["token"]): Facts => ({
    ...now,
    isCurrent: true,
    isKnown: true,
    isAsked: false,
    stored: stored({ token: used }),
    token: used,
  });
  switch (decision.do) {
    case "keep":
      return { ...now, isAsked: false };
    case "print":
      return finished(now.stored?.token);
    case "planToken":
      return { ...now, stored: { ...stored(), value: undefined, ...now.stored, next: token(2) } };
    case "prolongToken":
    case "useToken":
      return finished(decision.token);
  }
}
