import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { createRealEnv } from "@capstan/env";
import { expect, test } from "vitest";
import type { KeyAlgorithm } from "./issuer.ts";
import { x509Issuer } from "./x509-issuer.ts";

const issuer = x509Issuer(createRealEnv());
const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

test.each<[KeyAlgorithm, string]>([
  ["RSA-2048", "-----BEGIN RSA PRIVATE KEY-----"],
  ["ECDSA-P256", "-----BEGIN EC PRIVATE KEY-----"],
  ["ECDSA-P384", "-----BEGIN EC PRIVATE KEY-----"],
])("an authority with %s signs client certificates as kubeadm expects them", async (algorithm, begin) => {
  const request = { algorithm, validDays: 365, nowMs: NOW_MS };
  const authority = await issuer.authority({ ...request, validDays: 3650 });
  const client = await issuer.client(authority, {
    ...request,
    user: "kubernetes-admin",
    groups: ["system:masters"],
  });
  const ca = new X509Certificate(authority.cert);
  const leaf = new X509Certificate(client.cert);
  expect(authority.key.startsWith(begin)).toBe(true);
  expect([ca.subject, ca.ca]).toEqual(["CN=kubernetes", true]);
  expect(ca.validToDate.getTime()).toBe(NOW_MS + 3650 * DAY_MS);
  expect(leaf.subject).toBe("O=system:masters\nCN=kubernetes-admin");
  expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
  expect(leaf.checkPrivateKey(createPrivateKey(client.key))).toBe(true);
  expect(leaf.validToDate.getTime()).toBe(NOW_MS + 365 * DAY_MS);
  expect(leaf.validFromDate.getTime()).toBe(ca.validFromDate.getTime());
  expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
});

test("a client whose clock is a week behind that of a fast simulation accepts its certificates", async () => {
  const behindMs = NOW_MS - 7 * DAY_MS;
  const fast = x509Issuer(createRealEnv(), { now: () => behindMs });
  const request = { algorithm: "ECDSA-P256", validDays: 365, nowMs: NOW_MS } as const;
  const authority = await fast.authority(request);
  const client = await fast.client(authority, { ...request, user: "root", groups: [] });
  for (const { cert } of [authority, client]) {
    expect(new X509Certificate(cert).validFromDate.getTime()).toBeLessThan(behindMs);
    expect(new X509Certificate(cert).validToDate.getTime()).toBe(NOW_MS + 365 * DAY_MS);
  }
});

test("the keys of service accounts belong together", async () => {
  const { publicKey, privateKey } = await issuer.keyPair("ECDSA-P256");
  expect(publicKey.startsWith("-----BEGIN PUBLIC KEY-----")).toBe(true);
  const derived = createPublicKey(createPrivateKey(privateKey)).export({ type: "spki", format: "pem" });
  expect(derived).toBe(publicKey);
});
