import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { mergedKubeconfig } from "./kubeconfig-files.ts";

const file = (path: string, config: unknown) => ({ path, text: stringify(config) });
const cluster = (name: string, fields: object) => ({ name, cluster: fields });
const context = (name: string, fields: object) => ({ name, context: fields });

const first = file("/a/config", {
  clusters: [cluster("red", { server: "https://red", "certificate-authority": "ca.crt" })],
  users: [{ name: "me", user: { "client-certificate": "../me.crt", "client-key": "/keys/me.key" } }],
});
const second = file("/b/config", {
  "current-context": "work",
  clusters: [cluster("red", { server: "https://other" }), cluster("blue", { server: "https://blue" })],
  users: [{ name: "robot", user: { tokenFile: "token", exec: { command: "bin/login" } } }],
  contexts: [
    context("work", { cluster: "red", user: "me", namespace: "team-a" }),
    context("play", { cluster: "blue", user: "robot" }),
  ],
});
const third = file("/c/config", { "current-context": "play", contexts: [context("work", { cluster: "x" })] });

describe("a kubeconfig of several files", () => {
  const merged = mergedKubeconfig([first, second, third]);
  const config = JSON.parse(merged.text) as Record<string, unknown>;

  test("has each name once, from the first file that has it, and the first current context", () => {
    expect(config).toMatchObject({
      "current-context": "work",
      clusters: [{ cluster: { server: "https://red" } }, { cluster: { server: "https://blue" } }],
      contexts: [{ name: "work", context: { cluster: "red" } }, { name: "play" }],
    });
  });

  test("resolves relative paths from the folder of their file, and changes no other paths", () => {
    expect(config).toMatchObject({
      clusters: [{ cluster: { "certificate-authority": "/a/ca.crt" } }, {}],
      users: [
        { user: { "client-certificate": "/me.crt", "client-key": "/keys/me.key" } },
        { user: { tokenFile: "/b/token", exec: { command: "/b/bin/login" } } },
      ],
    });
    const plugin = { users: [{ name: "me", user: { exec: { command: "kubelogin" } } }] };
    expect(mergedKubeconfig([file("/a/config", plugin)]).text).toContain('"command":"kubelogin"');
  });

  test("knows the namespace of its context, and which file its cluster comes from", () => {
    expect(merged).toMatchObject({ namespace: "team-a", clusterPath: "/a/config" });
    const other = mergedKubeconfig([first, second], "play");
    expect(other).toMatchObject({ namespace: undefined, clusterPath: "/b/config" });
  });

  test.each([
    ["a: [", "/c/config is not a kubeconfig: "],
    ["hello", "/c/config is not a kubeconfig: it has no lists of clusters, contexts and users"],
    ["clusters: 5", "/c/config is not a kubeconfig: its clusters are not a list of objects"],
    ["users: [null]", "/c/config is not a kubeconfig: its users are not a list of objects"],
  ])("is refused with the name of the invalid file: %s", (text, message) => {
    expect(() => mergedKubeconfig([first, { path: "/c/config", text }])).toThrow(message);
  });

  test("may include empty files", () => {
    expect(mergedKubeconfig([{ path: "/c/config", text: "" }, second]).namespace).toBe("team-a");
  });
});
