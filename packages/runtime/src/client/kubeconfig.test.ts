import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealEnv, serveHttp } from "@capstan/env";
import { afterAll, describe, expect, test } from "vitest";
import { json } from "../answers.fixture.ts";
import type { Failure } from "../failure.ts";
import { TestObject, testObject } from "../test-server.fixture.ts";
import { createClient } from "./client.ts";
import { connectWithKubeconfig, type KubeconfigSource } from "./kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-kubeconfig-"));
const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
  rmSync(folder, { recursive: true });
});

/** A kubeconfig; the parts are YAML in flow style. */
function kubeconfig(server: string, user = "{}", cluster = ""): string {
  return `apiVersion: v1
kind: Config
current-context: main
clusters: [{ name: harbour, cluster: { server: "${server}", insecure-skip-tls-verify: ${server.startsWith("http:")}${cluster} } }]
contexts: [{ name: main, context: { cluster: harbour, user: captain } }, { name: spare, context: { cluster: none, user: captain } }]
users: [{ name: captain, user: ${user} }]
`;
}

const failureOf = async (source: KubeconfigSource): Promise<Failure> => {
  try {
    await connectWithKubeconfig({ origin: "/home/me/.kube/config", ...source });
  } catch (error) {
    return error as Failure;
  }
  throw new Error("expected the kubeconfig to be refused");
};

describe("a bad kubeconfig is refused with the file and the reason", () => {
  test.each([
    ["text that is not YAML", "apiVersion: [v1\nkind: }", /is not a kubeconfig: .+/],
    ["nothing", "", /is not a kubeconfig: .*the input is empty/],
    ["null", "null\n", /is not a kubeconfig: it has no lists of clusters, contexts and users/],
    ["a word", "hello", /current-context undefined names no cluster; contexts: none/],
    [
      "another document",
      "kind: Pod\nmetadata: { name: x }\n",
      /current-context undefined names no cluster; contexts: none/,
    ],
    ["clusters that are not a list", "clusters: 5\n", /current-context undefined names no cluster/],
    ["a list with gaps", "clusters: [null]\ncontexts: [null]\nusers: [null]\n", /is not a kubeconfig: .+/],
    [
      "no current context",
      kubeconfig("https://a").replace("current-context: main\n", ""),
      /current-context .* names no cluster; contexts: main, spare/,
    ],
    [
      "a context without its cluster",
      kubeconfig("https://a").replace("current-context: main", "current-context: spare"),
      /current-context "spare" names no cluster; contexts: main, spare/,
    ],
    [
      "a server that is not a URL",
      kubeconfig("not a url"),
      /server "not a url" is not a URL; expected something like https:\/\/host:6443/,
    ],
    [
      "a server without a scheme",
      kubeconfig("harbour.example:6443"),
      /server "harbour.example:6443" is not a URL; expected something like https:\/\/host:6443/,
    ],
    ["a server of another protocol", kubeconfig("ftp://harbour"), /server "ftp:\/\/harbour" is not a URL/],
    ["a cluster without a server", kubeconfig("x").replace('server: "x"', "proxy-url: x"), /server/],
    [
      "a missing CA file",
      kubeconfig("https://a", "{}", `, certificate-authority: ${folder}/missing.crt`),
      /ENOENT.*missing\.crt/,
    ],
    [
      "a missing client certificate",
      kubeconfig(
        "https://a",
        `{ client-certificate: ${folder}/missing.crt, client-key: ${folder}/missing.key }`,
      ),
      /ENOENT.*missing/,
    ],
  ])("%s", async (_, text, message) => {
    const failure = await failureOf({ text });
    expect(failure.failure, String(failure)).toBe("Terminal");
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain("/home/me/.kube/config");
  });

  test("an unknown context, with a list of the known ones", async () => {
    const failure = await failureOf({ text: kubeconfig("https://a"), context: "moon" });
    expect(failure).toMatchObject({ failure: "Terminal", reason: "InvalidKubeconfig" });
    expect(failure.message).toBe(
      '/home/me/.kube/config: current-context "moon" names no cluster; contexts: main, spare',
    );
  });

  test("an exec plugin that is not installed", async () => {
    const user = `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: ${folder}/no-such-plugin, interactiveMode: Never } }`;
    const failure = await failureOf({ text: kubeconfig("https://a", user) });
    expect(failure).toMatchObject({ failure: "Terminal", reason: "InvalidCredentials" });
    expect(failure.message).toContain("/home/me/.kube/config: could not get credentials:");
    expect(failure.message).toContain("no-such-plugin");
  });
});

describe("a good kubeconfig", () => {
  /** A server that returns its authorization header. */
  async function mirror(): Promise<string> {
    const server = await serveHttp(async ({ headers }) =>
      json(200, testObject("a", { spec: { seen: headers["authorization"] ?? "nothing" } })),
    );
    cleanups.push(() => server.close());
    return `http://127.0.0.1:${server.port}`;
  }

  async function tokensSeen(text: string, requests: number): Promise<unknown[]> {
    const transport = await connectWithKubeconfig({ text });
    cleanups.push(() => transport.close());
    const client = createClient({ transport, env: createRealEnv(), fieldManager: "capstan" });
    const seen: unknown[] = [];
    for (let request = 0; request < requests; request++) {
      try {
        seen.push((await client.get(TestObject, { name: "a", namespace: "b" })).spec?.["seen"]);
      } catch (error) {
        seen.push(error);
      }
    }
    return seen;
  }

  /** An exec plugin: a script that runs the lines, with `$n` counting its runs. */
  function plugin(name: string, body: string): string {
    const file = join(folder, name);
    writeFileSync(
      file,
      `#!/bin/sh\nn=$(($(cat ${file}.count 2>/dev/null || echo 0) + 1)); echo $n > ${file}.count\n${body}\n`,
    );
    chmodSync(file, 0o755);
    return `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: ${file}, interactiveMode: Never } }`;
  }

  const credential = (expires: string): string =>
    `echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"t$n\\",\\"expirationTimestamp\\":\\"${expires}\\"}}"`;

  test("sends its token with each request", async () => {
    expect(await tokensSeen(kubeconfig(await mirror(), "{ token: aye }"), 2)).toEqual([
      "Bearer aye",
      "Bearer aye",
    ]);
  });

  test("without a user sends no token", async () => {
    expect(await tokensSeen(kubeconfig(await mirror()), 1)).toEqual(["nothing"]);
  });

  test("runs an exec plugin again when its token has expired, and not before", async () => {
    const fresh = plugin("fresh", credential("2100-01-01T00:00:00Z"));
    const seen = await tokensSeen(kubeconfig(await mirror(), fresh), 3);
    expect(new Set(seen).size).toBe(1);
    const expired = plugin("expired", credential("2000-01-01T00:00:00Z"));
    const renewed = (await tokensSeen(kubeconfig(await mirror(), expired), 3)).map(String);
    expect(new Set(renewed).size).toBe(3);
    expect(renewed.every((token) => /^Bearer t\d+$/.test(token))).toBe(true);
  });

  test("retries when an exec plugin fails later, because it may only be offline", async () => {
    const flaky = plugin(
      "flaky",
      `if [ $n -eq 2 ]; then echo "the identity provider is away" >&2; exit 1; fi\n${credential("2000-01-01T00:00:00Z")}`,
    );
    const [first, second] = await tokensSeen(kubeconfig(await mirror(), flaky), 2);
    expect(first).toMatchObject({ failure: "Transient", reason: "InvalidCredentials" });
    expect((first as Error).message).toContain("could not get credentials");
    expect(second).toBe("Bearer t3");
  });
});
