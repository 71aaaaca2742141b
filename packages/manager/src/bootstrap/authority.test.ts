import { expect, test } from "vitest";
import { ELLIPTIC_AUTHORITY, RSA_AUTHORITY } from "./authority.fixture.ts";
import { caCertHashes } from "./authority.ts";

test("a certificate is pinned by the hash of its public key, the same as that of OpenSSL's tools", () => {
  expect(caCertHashes(RSA_AUTHORITY.pem)).toEqual([RSA_AUTHORITY.hash]);
  expect(caCertHashes(ELLIPTIC_AUTHORITY.pem)).toEqual([ELLIPTIC_AUTHORITY.hash]);
});

test("an authority that is being rotated is pinned by both of its certificates", () => {
  expect(caCertHashes(`# old\n${RSA_AUTHORITY.pem}\n${ELLIPTIC_AUTHORITY.pem}`)).toEqual([
    RSA_AUTHORITY.hash,
    ELLIPTIC_AUTHORITY.hash,
  ]);
});

test.each(["", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])(
  "%j is not an authority",
  (text) => {
    expect(caCertHashes(text)).toBeUndefined();
  },
);
