import { describe, expect, test } from "vitest";
import { embeddedCredentials } from "./embedded-credentials.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const CLUSTER = { server: "https://harbour:6443", "certificate-authority-data": base64("authority") };
const USER = { "client-certificate-data": base64("certificate"), "client-key-data": base64("key") };

function kubeconfig(cluster: object = CLUSTER, user: object = USER): string {
  return JSON.stringify({
    "current-context": "main",
    clusters: [
      { name: "other", cluster: { server: "https://other" } },
      { name: "harbour", cluster },
    ],
    users: [{ name: "captain", user }],
    contexts: [
      { name: "main", context: { cluster: "harbour", user: "captain" } },
      { name: "spare", context: { cluster: "other", user: "captain" } },
      { name: "broken", context: { cluster: "gone", user: "captain" } },
    ],
  });
}

describe("a kubeconfig with all credentials in itself", () => {
  test("is a server and certificates", () => {
    expect(embeddedCredentials(kubeconfig())).toEqual({
      endpoint: {
        baseUrl: "https://harbour:6443",
        insecureSkipVerify: false,
        ca: "authority",
        cert: "certificate",
        key: "key",
      },
    });
  });

  test("may have a token instead", () => {
    expect(embeddedCredentials(kubeconfig(CLUSTER, { token: "aye" }))?.authorization).toBe("Bearer aye");
  });

  test("is read in the context that the caller names", () => {
    expect(embeddedCredentials(kubeconfig(), "spare")?.endpoint.baseUrl).toBe("https://other");
  });
});

describe("the official client reads a kubeconfig with", () => {
  test.each([
    ["a file of the authority", { server: "https://a", "certificate-authority": "/ca.crt" }, USER],
    ["TLS switched off", { ...CLUSTER, "insecure-skip-tls-verify": true }, USER],
    ["another name of the server", { ...CLUSTER, "tls-server-name": "b" }, USER],
    ["a proxy", { ...CLUSTER, "proxy-url": "http://proxy" }, USER],
    ["a plugin", CLUSTER, { exec: { command: "login" } }],
    ["a plugin beside a token", CLUSTER, { token: "aye", exec: { command: "login" } }],
    ["an older plugin", CLUSTER, { "auth-provider": { name: "oidc" } }],
    ["a file of a token", CLUSTER, { tokenFile: "/token" }],
    ["a password", CLUSTER, { username: "captain", password: "aye" }],
    ["another user to act as", CLUSTER, { ...USER, as: "admiral" }],
    ["no server", {}, USER],
    ["a server without TLS", { server: "http://a" }, USER],
    ["an empty token", CLUSTER, { token: "" }],
  ])("%s", (_, cluster, user) => {
    expect(embeddedCredentials(kubeconfig(cluster, user))).toBeUndefined();
  });

  test("a context that names no cluster, and a text that is not JSON", () => {
    expect(embeddedCredentials(kubeconfig(), "broken")).toBeUndefined();
    expect(embeddedCredentials(kubeconfig(), "gone")).toBeUndefined();
    expect(embeddedCredentials("apiVersion: v1\n")).toBeUndefined();
    expect(embeddedCredentials("null")).toBeUndefined();
  });
});
