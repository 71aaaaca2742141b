import { describe, expect, test } from "vitest";
import { builtInKinds } from "../built-in/kinds.ts";
import type { ApiServer } from "../api-server.ts";
import { type Seen, TestClient } from "../testing.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const APPLY = "application/apply-patch+yaml";

const configMap = (data: Readonly<Record<string, string>>, name = "a"): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

function client(fieldOwnership: "all" | "applied" = "all"): TestClient {
  return new TestClient({ kinds: builtInKinds, fieldOwnership });
}

const apply = (to: TestClient, manager: string, body: unknown) =>
  to.send("PATCH", `${CONFIG_MAPS}/a?fieldManager=${manager}`, { body, type: APPLY });

const managersOf = ({ metadata }: Seen): string[] =>
  ((metadata.managedFields ?? []) as { manager: string }[]).map(({ manager }) => manager).sort();

describe("applies at the same time", () => {
  test("that create one object all succeed, and their fields are merged", async () => {
    const to = client();
    const managers = ["m1", "m2", "m3", "m4"];
    const answers = await Promise.all(
      managers.map((manager) => apply(to, manager, configMap({ [manager]: "x" }))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const { body } = await to.get(`${CONFIG_MAPS}/a`);
    expect(Object.keys(body.data).sort()).toEqual(managers);
    expect(managersOf(body)).toEqual(managers);
  });
});

describe("a server that tracks only applied objects", () => {
  test("tracks an object from its first apply on", async () => {
    const to = client("applied");
    const created = await to.create(CONFIG_MAPS, configMap({ k: "1" }));
    expect(managersOf(created.body)).toEqual([]);
    await to.merge(`${CONFIG_MAPS}/a`, { data: { k: "2" } });
    const applied = await apply(to, "m", configMap({ own: "x" }));
    expect(managersOf(applied.body)).toEqual(["before-first-apply", "m"]);
    const patched = await to.merge(`${CONFIG_MAPS}/a?fieldManager=patcher`, { data: { k: "3" } });
    expect(managersOf(patched.body)).toContain("patcher");
  });
});

describe("who may apply", () => {
  const rules = (verbs: readonly string[]): object[] => [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "r", namespace: "default" },
      rules: [{ verbs, apiGroups: [""], resources: ["configmaps"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "r", namespace: "default" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "robot" }],
    },
  ];

  async function grant(to: TestClient, verbs: readonly string[]): Promise<void> {
    const [role, binding] = rules(verbs);
    const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await to.create(`${path}/roles`, role);
    await to.create(`${path}/rolebindings`, binding);
  }

  const asRobot = async (server: ApiServer, body: object): Promise<Seen> => {
    const handle = server.secured({ userOfToken: () => ({ name: "robot", groups: [] }) });
    const headers = { "content-type": APPLY, authorization: "Bearer t" };
    const path = `${CONFIG_MAPS}/a?fieldManager=m`;
    return (await (await handle({ method: "PATCH", path, headers, body })).json()) as Seen;
  };

  test("a user who may patch and not create changes an object, and creates none", async () => {
    const to = client();
    await grant(to, ["patch"]);
    expect(await asRobot(to.server, configMap({ k: "1" }))).toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot create resource "configmaps"') as string,
    });
    await to.create(CONFIG_MAPS, configMap({}));
    expect(await asRobot(to.server, configMap({ k: "1" }))).toMatchObject({ data: { k: "1" } });
  });

  test("a user who may do both creates an object", async () => {
    const to = client();
    await grant(to, ["patch", "create"]);
    expect(await asRobot(to.server, configMap({ k: "1" }))).toMatchObject({ data: { k: "1" } });
  });
});

describe("a hostile body", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  test.each([
    ["is too deep as JSON", nested(5_000), "exceeded max depth"],
    ["is too deep as YAML", "- ".repeat(5_000), "must not nest deeper"],
    ["is too long for YAML", `# comment\n${"a: b\n".repeat(10_000)}`, "must have at most 32768 characters"],
    ["repeats an alias", `a: &a [x]\nb: [${"*a,".repeat(100)}]`, "aliases"],
    ["is a text", '"text"', "cannot unmarshal string"],
    ["is a list", "[]", "cannot unmarshal array"],
  ])("that %s is refused with a reason", async (_, body, message) => {
    const answer = await apply(client(), "m", body);
    expect(answer.body).toMatchObject({ code: 400, message: expect.stringContaining(message) as string });
  });

  test("with keys of JavaScript's own objects is data like any other", async () => {
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}`;
    const to = client();
    const answer = await apply(to, "m", body);
    expect(Object.entries(answer.body.data)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    const less = await apply(to, "m", configMap({ constructor: "y" }));
    expect(Object.entries(less.body.data)).toEqual([["constructor", "y"]]);
  });
});
