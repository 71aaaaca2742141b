import { describe, expect, test } from "vitest";
import { Canaries } from "./canaries.ts";

function knowing(fields: Readonly<Record<string, string>>): Canaries {
  const canaries = new Canaries();
  const data = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
  );
  canaries.learn({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data });
  return canaries;
}

const KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

describe("a secret", () => {
  test.each([
    ["a client secret", { clientSecret: "simulated-secret" }, "simulated-secret"],
    ["a join token in data", { value: "run: join --token abcdef.0123456789abcdef x" }, "0123456789abcdef"],
    ["a private key", { "tls.key": `-----BEGIN RSA PRIVATE KEY-----\n${KEY}\nmore` }, KEY],
    ["a token of a kubeconfig", { value: '{"user":{"token":"kubeconfig-token"}}' }, "kubeconfig-token"],
    ["a key of a kubeconfig", { value: `users:\n- user:\n    client-key-data: ${KEY}\n` }, KEY],
  ])("is recognized: %s", (_, fields, secret) => {
    expect(knowing(fields).isIn(`before ${secret} after`)).toBe(true);
  });

  test.each([0, 1, 2, 3, 4])("is found in base64, %i bytes after the beginning", (before) => {
    const text = Buffer.from(`${"x".repeat(before)}simulated-secret and more`).toString("base64");
    expect(knowing({ clientSecret: "simulated-secret" }).isIn(text)).toBe(true);
  });

  test("is not a public value: the id of a token, a certificate, the format of data", () => {
    const canaries = knowing({
      value: "abcdef.0123456789abcdef",
      format: "cloud-config",
      "tls.crt": `-----BEGIN CERTIFICATE-----\n${KEY}\n`,
    });
    for (const text of ["bootstrap-token-abcdef", "cloud-config", KEY])
      expect(canaries.isIn(text)).toBe(false);
  });

  test("is not found before one is known", () => {
    expect(new Canaries().isIn("anything")).toBe(false);
  });
});
