import { beforeAll, describe, expect, test } from "vitest";
import { type Credential, examine, type Issued } from "./credential.ts";
import { HOSTS, issuedAt, LIFE_MS, START_MS } from "./issuer.fixture.ts";
import { type Kept, made, planRotation, prepared, promoted } from "./rotation.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// Certificates are valid from an hour before their creation until a year after it.
const THIRD_LEFT_MS = START_MS + LIFE_MS - (LIFE_MS + HOUR_MS) / 3;

let first: Issued;
let second: Issued;
let elsewhere: Issued;
beforeAll(async () => {
  first = await issuedAt(START_MS);
  second = await issuedAt(THIRD_LEFT_MS);
  elsewhere = await issuedAt(START_MS, ["another.capstan-system.svc"]);
});

const plan = (kept: Kept | undefined, nowMs: number) => planRotation({ kept, hosts: HOSTS, nowMs });
const authoritiesOf = ({ bundle }: Kept): number => bundle.match(/BEGIN CERTIFICATE/g)?.length ?? 0;
const isSound = (credential: Credential, { bundle }: Kept): boolean =>
  typeof examine(credential, { hosts: HOSTS, bundle }) !== "string";

describe("certificates", () => {
  test("are created if there are none", () => {
    expect(plan(undefined, START_MS)).toEqual({ action: "make", why: "no certificates exist yet" });
  });

  test("are kept until a third of their lifetime is left", () => {
    expect(plan(made(first), START_MS)).toEqual({ action: "keep" });
    expect(plan(made(first), THIRD_LEFT_MS - 1)).toEqual({ action: "keep" });
    expect(plan(made(first), THIRD_LEFT_MS)).toEqual({
      action: "prepare",
      why: "a third of its lifetime is left, it expires at 2027-01-01T00:00:00.000Z",
    });
  });

  test("change after both authorities have been trusted for a day", () => {
    const during = prepared(made(first), HOSTS, second);
    expect(authoritiesOf(during)).toBe(2);
    expect(during.serving.cert).toBe(first.cert);
    // The next certificate is valid from an hour before its creation.
    expect(plan(during, THIRD_LEFT_MS + 23 * HOUR_MS - 1)).toEqual({ action: "keep" });
    expect(plan(during, THIRD_LEFT_MS + 23 * HOUR_MS)).toMatchObject({ action: "promote" });
    const after = promoted(during);
    expect(after).toEqual({ bundle: during.bundle, serving: { cert: second.cert, key: second.key } });
    expect(plan(after, THIRD_LEFT_MS + DAY_MS)).toEqual({ action: "keep" });
  });

  test("are trusted in every state of a rotation, whichever of them a replica still serves", () => {
    const before = made(first);
    const during = prepared(before, HOSTS, second);
    const after = promoted(during);
    expect([before, during, after].map((kept) => isSound(first, kept))).toEqual([true, true, true]);
    expect([before, during, after].map((kept) => isSound(second, kept))).toEqual([false, true, true]);
  });

  test("keep only the authorities of the last two", async () => {
    const laterMs = THIRD_LEFT_MS + LIFE_MS;
    const after = promoted(prepared(made(first), HOSTS, second));
    const next = prepared(after, HOSTS, await issuedAt(laterMs));
    expect(authoritiesOf(next)).toBe(2);
    expect(isSound(first, next)).toBe(false);
  });

  test("that have expired are replaced at once, by prepared ones if there are any", () => {
    const endedMs = START_MS + LIFE_MS;
    expect(plan(made(first), endedMs)).toEqual({
      action: "make",
      why: "the certificate is not usable: it expired at 2027-01-01T00:00:00.000Z",
    });
    expect(plan(prepared(made(first), HOSTS, second), endedMs)).toMatchObject({ action: "promote" });
  });

  test.each<[string, () => Kept, string]>([
    ["for others", () => made(elsewhere), `it is not for ${HOSTS[0]}`],
    ["with another key", () => made({ ...first, key: second.key }), "its key belongs to another certificate"],
    [
      "of a stranger",
      () => made({ ...first, ca: second.ca }),
      "none of the authorities in the Secret has signed it",
    ],
    [
      "without authorities",
      () => made({ ...first, ca: "" }),
      "none of the authorities in the Secret has signed it",
    ],
    ["in no form", () => made({ ...first, cert: "x" }), "it is not a certificate with its key in PEM"],
    ["with broken keys", () => made({ ...first, key: "x" }), "it is not a certificate with its key in PEM"],
  ])("%s are created again", (_, kept, problem) => {
    expect(plan(kept(), START_MS)).toEqual({
      action: "make",
      why: `the certificate is not usable: ${problem}`,
    });
  });

  test("that are prepared but not usable are prepared again, while the old ones serve", () => {
    const broken = { ...prepared(made(first), HOSTS, second), next: { cert: "x", key: "x" } };
    expect(plan(broken, THIRD_LEFT_MS)).toMatchObject({ action: "prepare" });
  });
});
