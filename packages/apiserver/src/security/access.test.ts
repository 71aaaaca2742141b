import { createRealEnv, type HttpResponse, Scheduler, VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";
import { builtInKinds } from "../built-in/kinds.ts";
import type { Seen } from "../testing.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Seen & { readonly status: Record<string, unknown> };
}

type Headers = Readonly<Record<string, string>>;

/** A secured cluster; the token `NAME` belongs to the user `NAME`, and `root` is in `system:masters`. */
function secured(
  options: { readonly rate?: { perSecond: number; burst: number } } = {},
  env = createRealEnv(),
) {
  const server = createApiServer({ env, kinds: builtInKinds, ...options });
  const handler = server.secured({
    userOfToken: (token) =>
      /^\w+$/.test(token) ? { name: token, groups: token === "root" ? ["system:masters"] : [] } : undefined,
  });
  return async (token: string, request: string, body?: unknown, more: Headers = {}): Promise<Answer> => {
    const [method = "", path = ""] = request.split(" ");
    const headers = { authorization: `Bearer ${token}`, ...more };
    const answer: HttpResponse = await handler({
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer["body"] };
  };
}

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const REVIEWS = "/apis/authorization.k8s.io/v1";

async function grant(send: ReturnType<typeof secured>, user: string, rules: object[]): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  await send("root", `POST ${ROLES}`, { metadata: { name: user }, rules });
  await send("root", `POST ${BINDINGS}`, {
    metadata: { name: user },
    roleRef: { apiGroup, kind: "Role", name: user },
    subjects: [{ apiGroup, kind: "User", name: user }],
  });
}

const READ_PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

describe("access reviews", () => {
  const ask = (namespace: string, verb: string): object => ({
    spec: { resourceAttributes: { namespace, verb, resource: "pods" } },
  });

  test("answer what the caller may do, and by which binding", async () => {
    const send = secured();
    await grant(send, "ann", [READ_PODS]);
    const own = async (namespace: string, verb: string): Promise<unknown> =>
      (await send("ann", `POST ${REVIEWS}/selfsubjectaccessreviews`, ask(namespace, verb))).body.status;
    expect(await own("default", "list")).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "ann/default" of Role "ann" to User "ann"',
    });
    expect(await own("default", "delete")).toEqual({ allowed: false });
    expect(await own("kube-system", "list")).toEqual({ allowed: false });
  });

  test("about another user need a permission", async () => {
    const send = secured();
    await grant(send, "ann", [READ_PODS]);
    const question = {
      spec: { user: "ann", resourceAttributes: { namespace: "default", verb: "get", resource: "pods" } },
    };
    expect((await send("ann", `POST ${REVIEWS}/subjectaccessreviews`, question)).status).toBe(403);
    expect((await send("root", `POST ${REVIEWS}/subjectaccessreviews`, question)).body.status).toMatchObject({
      allowed: true,
    });
  });

  test("list the rules of a namespace, including those of all users", async () => {
    const send = secured();
    await grant(send, "ann", [READ_PODS]);
    const { body } = await send("ann", `POST ${REVIEWS}/selfsubjectrulesreviews`, {
      spec: { namespace: "default" },
    });
    expect(body.status["resourceRules"]).toContainEqual(READ_PODS);
    expect(JSON.stringify(body.status["nonResourceRules"])).toContain("/openapi/*");
  });

  test("are never stored and cannot be read", async () => {
    const send = secured();
    expect(await send("root", `GET ${REVIEWS}/selfsubjectaccessreviews`)).toMatchObject({ status: 405 });
  });
});

describe("a service account token", () => {
  const ACCOUNT = "/api/v1/namespaces/default/serviceaccounts";
  const whoami = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";

  async function tokenOf(send: ReturnType<typeof secured>, seconds?: number): Promise<string> {
    await send("root", `POST ${ACCOUNT}`, { metadata: { name: "robot" } });
    const { body } = await send("root", `POST ${ACCOUNT}/robot/token`, {
      spec: { expirationSeconds: seconds },
    });
    return String(body.status["token"]);
  }

  test("is valid until its account is deleted", async () => {
    const send = secured();
    const token = await tokenOf(send);
    const { body } = await send(token, whoami, {});
    expect(body.status["userInfo"]).toMatchObject({
      username: "system:serviceaccount:default:robot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    await send("root", `DELETE ${ACCOUNT}/robot`);
    expect((await send(token, whoami, {})).status).toBe(401);
  });

  test("expires", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const send = secured({}, new VirtualProcess(scheduler, "server"));
    const token = await tokenOf(send, 600);
    await scheduler.run({ untilMs: 599_000 });
    expect((await send(token, whoami, {})).status).toBe(201);
    await scheduler.run({ untilMs: 600_000 });
    expect((await send(token, whoami, {})).status).toBe(401);
  });

  test("that was modified is not valid", async () => {
    const send = secured();
    const [head, body = "", proof] = (await tokenOf(send)).split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as { sub: string };
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "system:admin" })).toString("base64url");
    expect((await send(`${head}.${forged}.${proof}`, whoami, {})).status).toBe(401);
    const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
    expect((await send(`${unsigned}.${body}.`, whoami, {})).status).toBe(401);
  });

  test("cannot be issued for less than ten minutes", async () => {
    const send = secured();
    await tokenOf(send);
    const { body } = await send("root", `POST ${ACCOUNT}/robot/token`, { spec: { expirationSeconds: 1 } });
    expect(body.message).toContain(
      "spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes",
    );
  });
});

describe("a user who manages roles", () => {
  const manager = [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["*"], verbs: ["*"] }];
  const managing = [
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings"],
      verbs: ["create", "update"],
    },
  ];

  test("cannot write a role with permissions that they do not have", async () => {
    const send = secured();
    await grant(send, "ann", [...managing, READ_PODS]);
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "delete"] }];
    const { body } = await send("ann", `POST ${ROLES}`, { metadata: { name: "more" }, rules });
    expect(body).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(body.message).toContain(
      'user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    );
    expect(
      (await send("ann", `POST ${ROLES}`, { metadata: { name: "less" }, rules: [READ_PODS] })).status,
    ).toBe(201);
  });

  test("cannot bind a role with such permissions, unless they may bind it", async () => {
    const send = secured();
    await grant(send, "ann", managing);
    await grant(send, "bob", manager);
    const binding = (name: string): object => ({
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "User", name }],
    });
    expect((await send("ann", `POST ${BINDINGS}`, binding("mine"))).status).toBe(403);
    expect((await send("bob", `POST ${BINDINGS}`, binding("mine"))).status).toBe(201);
  });
});

describe("a client in a request loop", () => {
  test("is throttled, and other clients are not", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const send = secured({ rate: { perSecond: 1, burst: 2 } }, new VirtualProcess(scheduler, "server"));
    const pods = "GET /api/v1/pods";
    expect((await send("root", pods)).status).toBe(200);
    expect((await send("root", pods)).status).toBe(200);
    expect(await send("root", pods)).toMatchObject({
      status: 429,
      headers: { "retry-after": "1" },
      body: { reason: "TooManyRequests", details: { retryAfterSeconds: 1 } },
    });
    expect((await send("ann", pods)).status).toBe(403);
    await scheduler.run({ untilMs: 1000 });
    expect((await send("root", pods)).status).toBe(200);
  });
});

describe("impersonation", () => {
  const whoami = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";
  const as = (user: string, more: Headers = {}): Headers => ({ "impersonate-user": user, ...more });

  /** A cluster in which ann has these cluster-wide rules. */
  async function withRules(...rules: object[]): Promise<ReturnType<typeof secured>> {
    const send = secured();
    const apiGroup = "rbac.authorization.k8s.io";
    await send("root", `POST ${RBAC}/clusterroles`, { metadata: { name: "ann" }, rules });
    await send("root", `POST ${RBAC}/clusterrolebindings`, {
      metadata: { name: "ann" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "ann" },
      subjects: [{ apiGroup, kind: "User", name: "ann" }],
    });
    return send;
  }

  test("acts with the permissions of the other user, not with those of the sender", async () => {
    const send = secured();
    expect((await send("root", "GET /api/v1/pods", undefined, as("bob"))).status).toBe(403);
    const review = { spec: { resourceAttributes: { verb: "list", resource: "pods" } } };
    const path = `POST ${REVIEWS}/selfsubjectaccessreviews`;
    expect((await send("root", path, review, as("bob"))).body.status).toEqual({ allowed: false });
    expect((await send("root", path, review)).body.status).toMatchObject({ allowed: true });
  });

  test.each<[string, Headers, object]>([
    ["a user", as("bob"), { username: "bob", groups: ["system:authenticated"] }],
    [
      "groups",
      as("bob", { "impersonate-group": "crew, deck" }),
      { username: "bob", groups: ["crew", "deck", "system:authenticated"] },
    ],
    [
      "a service account",
      as("system:serviceaccount:default:robot"),
      {
        username: "system:serviceaccount:default:robot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
    ],
    [
      "a uid and extra values",
      as("bob", { "impersonate-uid": "u1", "impersonate-extra-example.com%2fscope": "a, b" }),
      { username: "bob", uid: "u1", extra: { "example.com/scope": ["a", "b"] } },
    ],
  ])("of %s tells that user", async (_, headers, expected) => {
    const { body } = await secured()("root", whoami, {}, headers);
    expect(body.status["userInfo"]).toMatchObject(expected);
  });

  const users = { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["bob"] };
  test.each<[string, Headers, string]>([
    ["another user", as("root"), 'users "root" is forbidden: User "ann" cannot impersonate resource "users"'],
    ["a group", as("bob", { "impersonate-group": "system:masters" }), 'groups "system:masters" is forbidden'],
    [
      "one of two groups",
      as("bob", { "impersonate-group": "crew, system:masters" }),
      'groups "crew" is forbidden',
    ],
    ["a service account", as("system:serviceaccount:default:robot"), 'serviceaccounts "robot" is forbidden'],
    ["a uid", as("bob", { "impersonate-uid": "u1" }), 'uids.authentication.k8s.io "u1" is forbidden'],
    [
      "an extra value",
      as("bob", { "impersonate-extra-scope": "a" }),
      'userextras.authentication.k8s.io "a" is forbidden',
    ],
  ])("of %s needs its own permission", async (_, headers, message) => {
    const send = await withRules(users);
    expect((await send("ann", whoami, {}, as("bob"))).status).toBe(201);
    const { status, body } = await send("ann", whoami, {}, headers);
    expect([status, body.message]).toEqual([403, expect.stringContaining(message)]);
  });

  test("of a group without a user is refused", async () => {
    const { status, body } = await secured()("root", whoami, {}, { "impersonate-group": "crew" });
    expect([status, body.message]).toEqual([400, expect.stringContaining("set Impersonate-User")]);
  });

  test("needs a credential, even for open paths", async () => {
    const send = secured();
    expect((await send("!", "GET /version", undefined, as("root"))).status).toBe(401);
    expect((await send("root", "GET /version", undefined, as("bob"))).status).toBe(200);
  });
});
