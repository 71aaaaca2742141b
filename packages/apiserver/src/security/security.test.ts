import type { BindingObject, PolicyRule, RoleObject, Subject } from "@capstan/api";
import type { Handler, HttpRequest } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { jsonResponse } from "../http/response.ts";
import { type Attributes, attributesOf } from "./attributes.ts";
import { guard } from "./guard.ts";
import { isAllowed, type PolicySource, refusal } from "./rbac.ts";

describe("the attributes of a request", () => {
  const MACHINES = "/apis/cluster.x-k8s.io/v1beta1/namespaces/prod/machines";
  test.each<[string, string, Partial<Attributes>]>([
    ["GET", "/api/v1/pods", { verb: "list", group: "", resource: "pods", namespace: "", name: "" }],
    [
      "GET",
      "/api/v1/namespaces/prod/pods?watch=true",
      { verb: "watch", resource: "pods", namespace: "prod" },
    ],
    ["GET", "/api/v1/namespaces/prod/pods?watch=0", { verb: "list", resource: "pods", namespace: "prod" }],
    [
      "GET",
      "/api/v1/namespaces/prod/pods/p",
      { verb: "get", resource: "pods", namespace: "prod", name: "p" },
    ],
    [
      "POST",
      "/api/v1/namespaces/prod/pods/p/eviction",
      { verb: "create", resource: "pods/eviction", namespace: "prod", name: "p" },
    ],
    [
      "DELETE",
      MACHINES,
      { verb: "deletecollection", group: "cluster.x-k8s.io", resource: "machines", namespace: "prod" },
    ],
    ["DELETE", `${MACHINES}/m`, { verb: "delete", resource: "machines", name: "m" }],
    ["PATCH", `${MACHINES}/m/status`, { verb: "patch", resource: "machines/status", name: "m" }],
    ["GET", "/api/v1/namespaces", { verb: "list", resource: "namespaces", namespace: "", name: "" }],
    [
      "GET",
      "/api/v1/namespaces/prod",
      { verb: "get", resource: "namespaces", namespace: "prod", name: "prod" },
    ],
    [
      "PUT",
      "/api/v1/namespaces/prod/finalize",
      { verb: "update", resource: "namespaces/finalize", namespace: "prod", name: "prod" },
    ],
    ["GET", "/apis/cluster.x-k8s.io/v1beta1", { verb: "get", path: "/apis/cluster.x-k8s.io/v1beta1" }],
    ["GET", "/api", { verb: "get", path: "/api" }],
    ["GET", "//api//v1//secrets", { verb: "list", resource: "secrets" }],
    ["GET", "/api/v1/namespaces/prod/secrets/a%2Fb", { verb: "get", resource: "secrets/b", name: "a" }],
    ["GET", "/api/v1/namespaces/prod/%73ecrets", { verb: "list", resource: "secrets" }],
  ])("by %s %s", (method, path, expected) => {
    expect(attributesOf({ method, path })).toMatchObject(expected);
  });
});

const role = (name: string, namespace: string, rules: PolicyRule[]): RoleObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: namespace === "" ? "ClusterRole" : "Role",
  metadata: { name, ...(namespace !== "" && { namespace }) },
  rules,
});
const binding = (
  namespace: string,
  kind: "Role" | "ClusterRole",
  name: string,
  ...subjects: Subject[]
): BindingObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding",
  metadata: { name, ...(namespace !== "" && { namespace }) },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
  subjects,
});

const clusterRoles = [
  role("viewer", "", [
    { verbs: ["get", "list", "watch"], apiGroups: ["", "cluster.x-k8s.io"], resources: ["pods", "machines"] },
  ]),
  role("prober", "", [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/metrics/*"] }]),
  role("status-writer", "", [{ verbs: ["patch"], apiGroups: ["*"], resources: ["*/status"] }]),
];
const roles = [
  role("one-secret", "prod", [
    { verbs: ["*"], apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"] },
  ]),
];
const alice: Subject = { kind: "User", name: "alice" };
const clusterRoleBindings = [
  binding("", "ClusterRole", "viewer", { kind: "Group", name: "readers" }),
  binding("", "ClusterRole", "prober", alice),
  binding("", "ClusterRole", "status-writer", {
    kind: "ServiceAccount",
    name: "manager",
    namespace: "system",
  }),
  binding("", "ClusterRole", "gone", alice),
];
const roleBindings = [
  binding("prod", "Role", "one-secret", alice),
  binding("prod", "ClusterRole", "viewer", alice),
];
const policy: PolicySource = {
  clusterRole: (name) => clusterRoles.find(({ metadata }) => metadata.name === name),
  role: (name, namespace) =>
    roles.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
  clusterRoleBindings: () => clusterRoleBindings,
  roleBindings: (namespace) => roleBindings.filter(({ metadata }) => metadata.namespace === namespace),
};

const user = (name: string, ...groups: string[]) => ({ name, groups });
const may = (who: ReturnType<typeof user>, method: string, path: string): boolean =>
  isAllowed(policy, who, attributesOf({ method, path }));

describe("the rules", () => {
  test.each<[ReturnType<typeof user>, string, string, boolean]>([
    [user("root", "system:masters"), "DELETE", "/api/v1/namespaces/prod/secrets", true],
    [user("bob", "readers"), "GET", "/api/v1/pods", true],
    [user("bob", "readers"), "GET", "/api/v1/secrets", false],
    [user("bob", "readers"), "GET", "/api/v1/namespaces/prod/pods/p/log", false],
    [user("bob", "readers"), "POST", "/api/v1/namespaces/prod/pods", false],
    [user("bob"), "GET", "/api/v1/pods", false],
    [user("alice"), "GET", "/api/v1/namespaces/prod/pods", true],
    [user("alice"), "GET", "/api/v1/namespaces/other/pods", false],
    [user("alice"), "GET", "/api/v1/pods", false],
    [user("alice"), "PUT", "/api/v1/namespaces/prod/secrets/mine", true],
    [user("alice"), "GET", "/api/v1/namespaces/prod/secrets/other", false],
    [user("alice"), "GET", "/api/v1/namespaces/prod/secrets", false],
    [user("alice"), "GET", "/metrics/cadvisor", true],
    [user("alice"), "GET", "/metricsx", false],
    [user("alice"), "POST", "/healthz", false],
    [
      user("system:serviceaccount:system:manager"),
      "PATCH",
      "/apis/cluster.x-k8s.io/v1beta1/namespaces/prod/machines/m/status",
      true,
    ],
    [
      user("system:serviceaccount:system:manager"),
      "PATCH",
      "/apis/cluster.x-k8s.io/v1beta1/namespaces/prod/machines/m",
      false,
    ],
  ])("let %j %s %s: %s", (who, method, path, expected) => {
    expect(may(who, method, path)).toBe(expected);
  });

  test("are explained with Kubernetes' message when they refuse", () => {
    const list = attributesOf({
      method: "GET",
      path: "/apis/cluster.x-k8s.io/v1beta1/namespaces/prod/machines",
    });
    expect(refusal(user("bob"), list)).toBe(
      'machines.cluster.x-k8s.io is forbidden: User "bob" cannot list resource "machines" in API group "cluster.x-k8s.io" in the namespace "prod"',
    );
    expect(refusal(user("bob"), attributesOf({ method: "GET", path: "/api/v1/nodes/n" }))).toBe(
      'nodes "n" is forbidden: User "bob" cannot get resource "nodes" in API group "" at the cluster scope',
    );
    expect(refusal(user("bob"), attributesOf({ method: "GET", path: "/logs" }))).toBe(
      'forbidden: User "bob" cannot get path "/logs"',
    );
  });
});

describe("the guard", () => {
  const seen: HttpRequest[] = [];
  const handler: Handler = (request) => {
    seen.push(request);
    return Promise.resolve(jsonResponse(200, {}));
  };
  const door = guard(handler, {
    authentication: { userOfToken: (token) => (token === "sesame" ? user("bob", "readers") : undefined) },
    policy,
    isOverRate: () => undefined,
  });
  const knock = async (path: string, extra: Partial<HttpRequest> = {}): Promise<number> =>
    (await door({ method: "GET", path, headers: {}, ...extra })).status;

  test.each(["/livez", "/readyz", "/version", "/version?timeout=32s"])(
    "allows %s without a credential",
    async (path) => {
      expect(await knock(path)).toBe(200);
    },
  );

  test.each(["/", "/api", "/apis", "/api/v1/pods", "/openapi/v3", "/livezz", "/version/", "/metrics"])(
    "requires a credential at %s",
    async (path) => {
      expect(await knock(path)).toBe(401);
    },
  );

  test("requires a credential for a POST to an open path", async () => {
    expect(await knock("/version", { method: "POST" })).toBe(401);
  });

  test.each<[string, Partial<HttpRequest>, number]>([
    ["a token", { headers: { authorization: "Bearer sesame" } }, 200],
    ["a wrong token", { headers: { authorization: "Bearer wrong" } }, 401],
    ["no token after Bearer", { headers: { authorization: "Bearer" } }, 401],
    ["a password", { headers: { authorization: "Basic c2VzYW1l" } }, 401],
    ["a certificate", { peer: { commonName: "x", organizations: ["system:masters"] } }, 200],
    ["a certificate without permissions", { peer: { commonName: "x", organizations: [] } }, 403],
    [
      "a header that pretends to be a certificate",
      { headers: { "x-remote-user": "root", "x-remote-group": "system:masters" } },
      401,
    ],
  ])("answers %s correctly", async (_, extra, expected) => {
    expect(await knock("/api/v1/pods", extra)).toBe(expected);
  });

  test("adds every authenticated user to system:authenticated", async () => {
    clusterRoleBindings.push(
      binding("", "ClusterRole", "viewer", { kind: "Group", name: "system:authenticated" }),
    );
    expect(await knock("/api/v1/pods", { peer: { commonName: "x", organizations: [] } })).toBe(200);
    clusterRoleBindings.pop();
  });
});
