import { Failure } from "@capstan/runtime";
import fc from "fast-check";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { readKubeconfig } from "./kubeconfig.ts";

const ORIGIN = "Secret default/demo-kubeconfig";
const PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function kubeconfig(parts: { cluster?: object; user?: object; config?: object } = {}): string {
  return JSON.stringify({
    clusters: [
      { name: "other", cluster: { server: "https://other:6443" } },
      { name: "c", cluster: { server: "https://host:6443", ...parts.cluster } },
    ],
    users: [{ name: "u", user: parts.user ?? { token: "t0ken" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
    ...parts.config,
  });
}

function refusal(text: string): Failure {
  try {
    readKubeconfig(text, ORIGIN);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}

describe("a kubeconfig", () => {
  test("has the server and the credentials of both sides", () => {
    const facts = readKubeconfig(
      kubeconfig({
        cluster: { "certificate-authority-data": base64(PEM), "tls-server-name": "kubernetes" },
        user: { "client-certificate-data": base64(PEM), "client-key-data": base64(PEM) },
      }),
      ORIGIN,
    );
    expect(facts).toMatchObject({ server: "https://host:6443", serverName: "kubernetes", authority: PEM });
    expect([facts.certificate?.reveal(), facts.key?.reveal(), facts.token]).toEqual([PEM, PEM, undefined]);
  });

  test("never prints its credentials", () => {
    const facts = readKubeconfig(kubeconfig(), ORIGIN);
    expect(facts.token?.reveal()).toBe("t0ken");
    expect(`${JSON.stringify(facts)} ${inspect(facts, { depth: 9 })}`).not.toContain("t0ken");
  });

  test.each([
    [
      { user: { exec: { command: "login" } } },
      'users[0].user.exec runs the program "login"; it must be removed',
    ],
    [{ user: { "auth-provider": { name: "oidc" } } }, 'users[0].user.auth-provider runs the plugin "oidc"'],
    [{ user: { tokenFile: "/var/run/token" } }, 'users[0].user.tokenFile reads the file "/var/run/token"'],
    [{ user: { "client-key": "/etc/key" } }, 'users[0].user.client-key reads the file "/etc/key"'],
    [
      { user: { "client-certificate": "/etc/crt" } },
      'users[0].user.client-certificate reads the file "/etc/crt"',
    ],
    [
      { user: { username: "me", password: "pass" } },
      "users[0].user.username and password have not been supported",
    ],
    [{ user: { token: "t", as: "admin" } }, 'users[0].user.as impersonates "admin"'],
    [
      { cluster: { "insecure-skip-tls-verify": true } },
      "clusters[1].cluster.insecure-skip-tls-verify is true",
    ],
    [
      { cluster: { "certificate-authority": "/ca" } },
      'clusters[1].cluster.certificate-authority reads the file "/ca"',
    ],
    [
      { cluster: { "proxy-url": "http://me:pass@proxy:3128/x" } },
      'clusters[1].cluster.proxy-url is "http://proxy:3128"',
    ],
    [
      { cluster: { server: "http://host:8080" } },
      'clusters[1].cluster.server points to "host:8080" without TLS',
    ],
    [
      { cluster: { server: "https://me:pass@host" } },
      'clusters[1].cluster.server contains credentials for "host"',
    ],
    [{ cluster: { server: "host:6443" } }, "clusters[1].cluster.server"],
    [
      { cluster: { "certificate-authority-data": "////" } },
      "clusters[1].cluster.certificate-authority-data is not PEM in base64",
    ],
    [{ config: { "current-context": "y" } }, "contexts has no entry with the selected name"],
    [{ config: { users: null } }, "users has no entry with the selected name"],
    [{ config: { "current-context": null } }, "it does not select one of its contexts"],
  ])("with %j is refused with the reason", (parts, sentence) => {
    const failure = refusal(kubeconfig(parts));
    expect(failure).toMatchObject({ failure: "Terminal", reason: "KubeconfigRefused" });
    expect(failure.message).toContain(`${ORIGIN}: `);
    expect(failure.message).toContain(sentence);
    expect(failure.message).not.toContain("pass@");
  });

  test.each([
    ["", "it is not YAML"],
    ["a: [", "it is not YAML"],
    ["just text", "it is not an object"],
    ["x".repeat(40_000), "at most 32768 are read"],
  ])("that is not a kubeconfig is refused", (text, sentence) => {
    expect(refusal(text).message).toContain(sentence);
  });

  test("false and empty settings count as not set", () => {
    const parts = {
      cluster: { "insecure-skip-tls-verify": false, "certificate-authority": "" },
      user: { token: "t", exec: null },
    };
    expect(readKubeconfig(kubeconfig(parts), ORIGIN).server).toBe("https://host:6443");
  });

  test("is never quoted in a refusal, at any broken position", () => {
    const canary = "canary7f3a";
    const whole = kubeconfig({ user: { token: canary, "client-key-data": canary } });
    fc.assert(
      fc.property(fc.nat(whole.length), fc.string({ maxLength: 3 }), (cut, junk) => {
        const text = whole.slice(0, cut) + junk + whole.slice(cut + 1);
        try {
          readKubeconfig(text, ORIGIN);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          expect((error as Failure).message).not.toContain("canary");
          expect((error as Failure).cause).toBeUndefined();
        }
      }),
      { numRuns: 500 },
    );
  });
});
