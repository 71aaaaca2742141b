import { expect, test } from "vitest";
import { kubeconfigText, readKubeconfigFacts } from "./kubeconfig-text.ts";
import { x509Issuer } from "./x509-issuer.ts";
import { createRealEnv } from "@capstan/env";

const issuer = x509Issuer(createRealEnv());
const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

test("a kubeconfig has Cluster API's names, the first certificate of the authority, and says when it expires", async () => {
  const request = { algorithm: "ECDSA-P256", validDays: 365, nowMs: NOW_MS } as const;
  const authority = await issuer.authority(request);
  const client = await issuer.client(authority, { ...request, user: "kubernetes-admin", groups: [] });
  const text = kubeconfigText({
    cluster: "demo",
    server: "https://demo.example.com:6443",
    authority: `${authority.cert}\n${authority.cert}`,
    client,
  });
  expect(text).toContain("current-context: demo-admin@demo\n");
  const [, data = ""] = /certificate-authority-data: (\S+)/.exec(text) ?? [];
  expect(
    Buffer.from(data, "base64")
      .toString()
      .match(/BEGIN CERTIFICATE/g),
  ).toHaveLength(1);
  expect(readKubeconfigFacts(text)).toEqual({
    server: "https://demo.example.com:6443",
    expiresMs: NOW_MS + 365 * 24 * 3_600_000,
  });
});

test.each(["", "hello", "a: [", "users: 7"])(
  "a broken kubeconfig %j has no facts, and breaks nothing",
  (text) => {
    expect(readKubeconfigFacts(text)).toEqual({});
  },
);
