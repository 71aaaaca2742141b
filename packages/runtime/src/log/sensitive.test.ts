import { format, inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { redacted, Sensitive } from "./sensitive.ts";

const SECRET = "s3cr3t-pa55word";
const secret = new Sensitive(SECRET);
const kubeSecret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "token", annotations: { note: "fine" } },
  data: { password: SECRET, user: SECRET },
  stringData: { extra: SECRET },
  type: "Opaque",
};

describe("a secret in memory", () => {
  test("is returned by reveal()", () => {
    expect(secret.reveal()).toBe(SECRET);
    expect(new Sensitive({ user: "jo" }).reveal().user).toBe("jo");
  });

  test.each<[string, () => unknown]>([
    ["a template", () => `password: ${String(secret)}`],
    ["a concatenation", () => "password: ".concat(String(secret))],
    ["JSON", () => JSON.stringify({ nested: [{ secret }] })],
    ["inspect", () => inspect({ nested: [{ secret }] }, { depth: 10, showHidden: true })],
    ["format with %s", () => format("%s", secret)],
    ["format with %o and %j", () => format("%o %j %O", secret, secret, secret)],
    ["an error message", () => inspect(new Error(`login failed with ${String(secret)}`))],
    ["a field of an error", () => inspect(Object.assign(new Error("login failed"), { secret }))],
    ["its own keys", () => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)])],
    ["a structured clone", () => inspect(structuredClone(secret), { showHidden: true })],
  ])("does not show in %s", (_, print) => {
    expect(print()).not.toContain(SECRET);
  });
});

describe("a log line", () => {
  test.each<[string, unknown]>([
    ["on top", secret],
    ["in a field", { password: secret }],
    ["nested in objects and lists", { a: [{ b: { c: [secret] } }] }],
    ["in the cause of an error", new Error("outer", { cause: new Error("inner", { cause: { secret } }) })],
    ["as the cause of an error", new Error("outer", { cause: secret })],
  ])("has no Sensitive %s", (_, value) => {
    const text = JSON.stringify(redacted(value));
    expect(text).not.toContain(SECRET);
    expect(text).toContain("[redacted]");
  });

  test.each<[string, unknown]>([
    ["on top", kubeSecret],
    ["in a list", { secrets: [kubeSecret, kubeSecret] }],
    ["in a list in a list", [[kubeSecret]]],
    ["in the cause of an error", new Error("outer", { cause: { object: kubeSecret } })],
    [
      "in a SecretList, whose items do not say their kind",
      { kind: "SecretList", items: [{ metadata: {}, data: { x: SECRET } }] },
    ],
    ["with data that is not a map", { kind: "Secret", data: SECRET }],
    [
      "in kubectl's last-applied annotation",
      {
        ...kubeSecret,
        metadata: {
          annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(kubeSecret) },
        },
      },
    ],
  ])("has no values of a Kubernetes Secret %s", (_, value) => {
    expect(JSON.stringify(redacted(value))).not.toContain(SECRET);
  });

  test("still has the keys of a Secret, and its other fields", () => {
    expect(redacted(kubeSecret)).toEqual({
      ...kubeSecret,
      data: { password: "[redacted]", user: "[redacted]" },
      stringData: { extra: "[redacted]" },
    });
  });

  test("keeps the data of all other kinds", () => {
    const map = { kind: "ConfigMap", data: { colour: "blue" }, list: [1, "two", null, true] };
    expect(redacted(map)).toEqual(map);
  });

  test("prints errors with reason and cause, and with a stack only for bugs", () => {
    const bug = redacted(new TypeError("oops", { cause: "why" })) as Record<string, unknown>;
    expect(bug).toMatchObject({ type: "TypeError", message: "oops", cause: "why" });
    expect(String(bug["stack"])).toContain("sensitive.test.ts");
    const failure = Object.assign(new Error("busy"), { name: "Failure", reason: "TooManyRequests" });
    expect(redacted(failure)).toEqual({ type: "Failure", message: "busy", reason: "TooManyRequests" });
  });

  test("prints values that JSON cannot", () => {
    expect(redacted({ size: 2n ** 70n, gone: undefined })).toEqual({
      size: String(2n ** 70n),
      gone: undefined,
    });
  });

  test("ends on circular values, with any number of cycles", () => {
    const circle: Record<string, unknown> = { name: "circle" };
    for (let way = 0; way < 10; way++) circle[`way${way}`] = circle;
    const list: unknown[] = [];
    list.push(list, { list });
    const text = JSON.stringify(redacted({ circle, list }));
    expect(text).toContain('"name":"circle"');
    expect(text.length).toBeLessThan(10_000);
  });

  test("prints a repeated value each time", () => {
    const shared = { name: "a" };
    expect(redacted({ one: shared, two: [shared] })).toEqual({ one: { name: "a" }, two: [{ name: "a" }] });
  });

  test("does not change its input", () => {
    const before = structuredClone(kubeSecret);
    redacted({ kubeSecret });
    expect(kubeSecret).toEqual(before);
  });
});
