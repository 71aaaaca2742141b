import { createRng, uuidFrom } from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { drawTokenText, isTokenText, tokenSecret, tokenSecretName } from "./join-token.ts";

function draws(seed: string): () => string {
  const rng = createRng(seed, "uuid");
  return () => uuidFrom(rng);
}

describe("a generated token", () => {
  test("has kubeadm's format, and is different each time", () => {
    const uuid = draws("1");
    const texts = Array.from({ length: 500 }, () => drawTokenText(uuid).reveal());
    expect(texts.every(isTokenText)).toBe(true);
    expect(new Set(texts.map((text) => text.slice(0, 6))).size).toBe(500);
    expect(new Set(texts.map((text) => text.slice(7))).size).toBe(500);
    expect(new Set(texts.join("").replaceAll(".", "")).size, "all signs occur").toBe(36);
  });

  test("is never printed", () => {
    const text = drawTokenText(draws("1"));
    expect(String(text) + JSON.stringify({ text })).not.toContain(text.reveal());
  });
});

test("the Secret of a token has the format of kubeadm and the API server", () => {
  const token = {
    text: new Sensitive("abcdef.0123456789abcdef"),
    expiresMs: Date.parse("2026-01-01T02:00:00Z"),
  };
  const { data = {}, ...rest } = tokenSecret(token, "for tests");
  expect(rest).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
  });
  expect(tokenSecretName(token)).toEqual(rest.metadata);
  expect(
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
    ),
  ).toEqual({
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    expiration: "2026-01-01T02:00:00Z",
    "usage-bootstrap-authentication": "true",
    "usage-bootstrap-signing": "true",
    "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
    description: "for tests",
  });
});

test.each(["abcdef", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcde", "", 7, undefined])(
  "%j is not a token",
  (text) => {
    expect(isTokenText(text)).toBe(false);
  },
);
