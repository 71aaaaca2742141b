import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";
import type { Api, User } from "../kit.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION = "/apis/authentication.k8s.io/v1";
const READ_CONFIG_MAPS = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] };
const MAKE_ROLES = {
  apiGroups: ["rbac.authorization.k8s.io"],
  resources: ["roles", "rolebindings"],
  verbs: ["get", "create", "update", "patch"],
};

const as = ({ token }: User) => ({ token });

const denied = (
  name: string,
  path: (api: Api) => string,
  message: (user: string, ns: string) => string,
): Behaviour =>
  behaviour(name, async (api) => {
    const user = api.user();
    const answer = await api.get(path(api), as(user));
    expect([answer.status, answer.body.reason]).toEqual([403, "Forbidden"]);
    expect(answer.body.message).toBe(message(user.name, api.namespace));
  });

async function allowed(api: Api, user: User, resourceAttributes: object): Promise<boolean> {
  const { status, body } = await api.post(
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes } },
    as(user),
  );
  expect(status).toBe(201);
  return (body.status as { allowed: boolean }).allowed;
}

const roles = (api: Api): string => `${RBAC}/namespaces/${api.namespace}/roles`;
const bindings = (api: Api): string => `${RBAC}/namespaces/${api.namespace}/rolebindings`;

const bind = (user: User, roleRef: object) => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", ...roleRef },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user.name }],
});

/** Who may do what, and how a refusal is worded. */
export const accessBehaviours: readonly Behaviour[] = [
  behaviour("without a credential everything but three questions is refused with 401", async (api) => {
    for (const path of ["/api", "/apis", "/api/v1/namespaces", "/openapi/v2", "/metrics", "/nonsense"]) {
      const answer = await api.get(path, { token: null });
      expect([path, answer.status]).toEqual([path, 401]);
      expectRefusal(answer, { code: 401, reason: "Unauthorized", message: "Unauthorized" });
    }
    for (const path of ["/livez", "/readyz", "/version"])
      expect([path, (await api.get(path, { token: null })).status]).toEqual([path, 200]);
  }),

  behaviour("a wrong token is refused with 401 even where none is needed", async (api) => {
    for (const path of ["/api/v1/namespaces", "/version", "/livez"]) {
      const answer = await api.get(path, { token: "wrong" });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  }),

  behaviour("a credential of another scheme is refused with 401", async (api) => {
    const headers = { authorization: "Basic YWRtaW46YWRtaW4=" };
    expect((await api.get("/api", { token: null, headers })).status).toBe(401);
  }),

  behaviour("everybody who is known may discover", async (api) => {
    const user = api.user();
    for (const path of ["/api", "/apis", "/api/v1", "/apis/apps/v1", "/openapi/v3", "/version", "/livez"])
      expect([path, (await api.get(path, as(user))).status]).toEqual([path, 200]);
  }),

  denied(
    "a refused list names verb, resource, group and namespace",
    (api) => api.inNamespace("configmaps"),
    (user, ns) =>
      `configmaps is forbidden: User "${user}" cannot list resource "configmaps" in API group "" in the namespace "${ns}"`,
  ),
  denied(
    "a refused get names the object",
    (api) => api.inNamespace("configmaps/a"),
    (user, ns) =>
      `configmaps "a" is forbidden: User "${user}" cannot get resource "configmaps" in API group "" in the namespace "${ns}"`,
  ),
  denied(
    "a refused watch is a watch",
    (api) => api.inNamespace("configmaps?watch=1"),
    (user, ns) =>
      `configmaps is forbidden: User "${user}" cannot watch resource "configmaps" in API group "" in the namespace "${ns}"`,
  ),
  denied(
    "a refused request for the whole cluster says so",
    () => "/apis/apps/v1/deployments",
    (user) =>
      `deployments.apps is forbidden: User "${user}" cannot list resource "deployments" in API group "apps" at the cluster scope`,
  ),
  denied(
    "a refused request for a subresource names it",
    (api) => api.inNamespace("pods/a/status"),
    (user, ns) =>
      `pods "a" is forbidden: User "${user}" cannot get resource "pods/status" in API group "" in the namespace "${ns}"`,
  ),
  denied(
    "a refused path is named",
    () => "/metrics",
    (user) => `forbidden: User "${user}" cannot get path "/metrics"`,
  ),
  denied(
    "what is not served is refused all the same",
    () => "/apis/unknown.example.com/v1/things",
    (user) =>
      `things.unknown.example.com is forbidden: User "${user}" cannot list resource "things" in API group "unknown.example.com" at the cluster scope`,
  ),

  behaviour("a refusal has the resource in its details", async (api) => {
    const user = api.user();
    expectRefusal(await api.get("/apis/apps/v1/namespaces/default/deployments/a", as(user)), {
      code: 403,
      reason: "Forbidden",
      message: `deployments.apps "a" is forbidden: User "${user.name}" cannot get resource "deployments" in API group "apps" in the namespace "default"`,
      details: { name: "a", group: "apps", kind: "deployments" },
    });
  }),

  behaviour("the details of a refused subresource name the resource alone", async (api) => {
    const user = api.user();
    const { body } = await api.get(api.inNamespace("pods/a/status"), as(user));
    expect(body.details).toEqual({ name: "a", kind: "pods" });
  }),

  behaviour("a role allows its verbs in its namespace and nothing else", async (api) => {
    const user = await api.userWith([READ_CONFIG_MAPS]);
    expect((await api.get(api.inNamespace("configmaps"), as(user))).status).toBe(200);
    expect((await api.get("/api/v1/namespaces/default/configmaps", as(user))).status).toBe(403);
    expect((await api.get("/api/v1/configmaps", as(user))).status).toBe(403);
    expect(
      (await api.post(api.inNamespace("configmaps"), { metadata: { name: "a" } }, as(user))).status,
    ).toBe(403);
    expect((await api.get(api.inNamespace("secrets"), as(user))).status).toBe(403);
  }),

  behaviour("resourceNames restrict a role to named objects", async (api) => {
    const user = await api.userWith([
      {
        apiGroups: [""],
        resources: ["configmaps"],
        verbs: ["get", "list", "watch"],
        resourceNames: ["mine"],
      },
    ]);
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "mine" } });
    expect((await api.get(api.inNamespace("configmaps/mine"), as(user))).status).toBe(200);
    expect((await api.get(api.inNamespace("configmaps/other"), as(user))).status).toBe(403);
    expect((await api.get(api.inNamespace("configmaps"), as(user))).status).toBe(403);
    const query = { fieldSelector: "metadata.name=mine" };
    expect((await api.get(api.inNamespace("configmaps"), { ...as(user), query })).status).toBe(200);
  }),

  behaviour("a right to a resource is no right to its subresources", async (api) => {
    const user = await api.userWith([{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }]);
    expect((await api.get(api.inNamespace("pods/a"), as(user))).status).toBe(404);
    expect((await api.get(api.inNamespace("pods/a/status"), as(user))).status).toBe(403);
  }),

  behaviour("a subresource can be allowed by name or by star", async (api) => {
    const user = await api.userWith([
      { apiGroups: [""], resources: ["pods/status"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["*/scale"], verbs: ["get"] },
    ]);
    expect((await api.get(api.inNamespace("pods/a/status"), as(user))).status).toBe(404);
    const apps = `/apis/apps/v1/namespaces/${api.namespace}`;
    expect((await api.get(`${apps}/deployments/a/scale`, as(user))).status).toBe(404);
    expect((await api.get(`${apps}/deployments/a`, as(user))).status).toBe(403);
  }),

  behaviour("a cluster role bound in the cluster opens resources and paths", async (api) => {
    const user = api.user();
    const name = api.unique("role");
    await api.create(`${RBAC}/clusterroles`, {
      metadata: { name },
      rules: [
        { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
        { nonResourceURLs: ["/metrics", "/boats/*"], verbs: ["get"] },
      ],
    });
    await api.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      ...bind(user, { kind: "ClusterRole", name }),
    });
    await api.eventually(async () => expect((await api.get("/api/v1/nodes", as(user))).status).toBe(200));
    expect((await api.get("/boats/a/b", as(user))).status).toBe(404);
    expect((await api.get("/ships/a", as(user))).status).toBe(403);
  }),

  behaviour("a cluster role bound in a namespace holds there", async (api) => {
    const user = api.user();
    const name = api.unique("role");
    await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules: [READ_CONFIG_MAPS] });
    await api.create(bindings(api), { metadata: { name }, ...bind(user, { kind: "ClusterRole", name }) });
    await api.eventually(async () =>
      expect((await api.get(api.inNamespace("configmaps"), as(user))).status).toBe(200),
    );
    expect((await api.get("/api/v1/namespaces/default/configmaps", as(user))).status).toBe(403);
  }),

  behaviour("the built-in role view reads config maps but no secrets", async (api) => {
    const user = api.user();
    await api.create(bindings(api), {
      metadata: { name: "a" },
      ...bind(user, { kind: "ClusterRole", name: "view" }),
    });
    await api.eventually(async () =>
      expect((await api.get(api.inNamespace("configmaps"), as(user))).status).toBe(200),
    );
    expect((await api.get(api.inNamespace("secrets"), as(user))).status).toBe(403);
    expect(
      (await api.post(api.inNamespace("configmaps"), { metadata: { name: "a" } }, as(user))).status,
    ).toBe(403);
  }),

  behaviour("the built-in role edit writes secrets but no roles", async (api) => {
    const user = api.user();
    await api.create(bindings(api), {
      metadata: { name: "a" },
      ...bind(user, { kind: "ClusterRole", name: "edit" }),
    });
    await api.eventually(async () => {
      const answer = await api.post(
        api.inNamespace("secrets"),
        { metadata: { generateName: "a-" } },
        as(user),
      );
      expect(answer.status).toBe(201);
    });
    expect((await api.get(roles(api), as(user))).status).toBe(403);
  }),

  behaviour("the built-in cluster-admin may do everything", async (api) => {
    const user = api.user();
    await api.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name: api.unique("admin") },
      ...bind(user, { kind: "ClusterRole", name: "cluster-admin" }),
    });
    await api.eventually(async () => expect((await api.get("/metrics", as(user))).status).not.toBe(403));
    expect((await api.get("/api/v1/secrets", as(user))).status).toBe(200);
  }),

  behaviour("a user may not create a role with permissions they lack", async (api) => {
    const user = await api.userWith([MAKE_ROLES, READ_CONFIG_MAPS]);
    const role = (resources: string[], verbs: string[]) => ({
      metadata: { name: api.unique("role") },
      rules: [{ apiGroups: [""], resources, verbs }],
    });
    expect((await api.post(roles(api), role(["configmaps"], ["get"]), as(user))).status).toBe(201);
    const more = role(["secrets"], ["get", "list"]);
    expectRefusal(await api.post(roles(api), more, as(user)), {
      code: 403,
      reason: "Forbidden",
      message: `roles.rbac.authorization.k8s.io "${more.metadata.name}" is forbidden: user "${user.name}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`,
      details: { name: more.metadata.name, group: "rbac.authorization.k8s.io", kind: "roles" },
    });
  }),

  behaviour("a user may not bind a role with permissions they lack", async (api) => {
    await api.eventually(async () => {
      const { body } = await api.get(`${RBAC}/clusterroles/admin`);
      expect((body as unknown as { rules: object[] | null }).rules?.length ?? 0).toBeGreaterThan(5);
    });
    const user = await api.userWith([MAKE_ROLES, READ_CONFIG_MAPS]);
    const name = api.unique("binding");
    const binding = { metadata: { name }, ...bind(user, { kind: "ClusterRole", name: "admin" }) };
    const answer = await api.post(bindings(api), binding, as(user));
    expect([answer.status, answer.body.reason]).toEqual([403, "Forbidden"]);
    expect(answer.body.message).toContain(
      `rolebindings.rbac.authorization.k8s.io "${name}" is forbidden: user "${user.name}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n`,
    );
  }),

  behaviour("the verb bind allows binding a role with rights one lacks", async (api) => {
    const user = await api.userWith([
      MAKE_ROLES,
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["clusterroles"],
        verbs: ["bind"],
        resourceNames: ["admin"],
      },
    ]);
    const binding = { metadata: { name: "a" }, ...bind(user, { kind: "ClusterRole", name: "admin" }) };
    expect((await api.post(bindings(api), binding, as(user))).status).toBe(201);
  }),

  behaviour("the verb escalate allows making a role with rights one lacks", async (api) => {
    const user = await api.userWith([{ ...MAKE_ROLES, verbs: ["create", "escalate"] }]);
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
    expect((await api.post(roles(api), { metadata: { name: "a" }, rules }, as(user))).status).toBe(201);
  }),

  behaviour("the role of a binding may not change", async (api) => {
    await api.create(bindings(api), {
      metadata: { name: "a" },
      ...bind(api.user(), { kind: "Role", name: "one" }),
    });
    const answer = await api.patch(`${bindings(api)}/a`, "merge", { roleRef: { name: "two" } });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toBe(
      'RoleBinding.rbac.authorization.k8s.io "a" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"two"}: cannot change roleRef',
    );
  }),

  behaviour("a rule without verbs is refused", async (api) => {
    const answer = await api.post(roles(api), {
      metadata: { name: "a" },
      rules: [{ apiGroups: [""], resources: ["pods"] }],
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'Role.rbac.authorization.k8s.io "a" is invalid: rules[0].verbs: Required value: verbs must contain at least one value',
    ]);
  }),

  behaviour("a binding to something else than a role is refused", async (api) => {
    const answer = await api.post(bindings(api), {
      metadata: { name: "a" },
      ...bind(api.user(), { kind: "Boat", name: "a" }),
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'RoleBinding.rbac.authorization.k8s.io "a" is invalid: roleRef.kind: Unsupported value: "Boat": supported values: "Role", "ClusterRole"',
    ]);
  }),

  behaviour("a review of oneself says what one may", async (api) => {
    const user = await api.userWith([READ_CONFIG_MAPS]);
    const question = { verb: "list", resource: "configmaps", namespace: api.namespace };
    expect(await allowed(api, user, question)).toBe(true);
    expect(await allowed(api, user, { ...question, verb: "delete" })).toBe(false);
    expect(await allowed(api, user, { ...question, namespace: "default" })).toBe(false);
  }),

  behaviour("a review without a question is refused", async (api) => {
    const answer = await api.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: {} });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
  }),

  behaviour("a review of one's rules lists them", async (api) => {
    const user = await api.userWith([READ_CONFIG_MAPS]);
    const { status, body } = await api.post(
      `${AUTHORIZATION}/selfsubjectrulesreviews`,
      { spec: { namespace: api.namespace } },
      as(user),
    );
    expect(status).toBe(201);
    expect(body.status).toMatchObject({
      incomplete: false,
      resourceRules: expect.arrayContaining([
        { verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] },
        {
          verbs: ["create"],
          apiGroups: ["authorization.k8s.io"],
          resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
      ]) as unknown,
    });
  }),

  behaviour("a review of others says what they may", async (api) => {
    const user = await api.userWith([READ_CONFIG_MAPS]);
    const review = async (spec: object): Promise<unknown> =>
      (await api.post(`${AUTHORIZATION}/subjectaccessreviews`, { spec })).body.status;
    const resourceAttributes = { verb: "list", resource: "configmaps", namespace: api.namespace };
    expect(await review({ user: user.name, resourceAttributes })).toMatchObject({ allowed: true });
    expect(await review({ user: "stranger", resourceAttributes })).toMatchObject({ allowed: false });
    expect(await review({ user: "stranger", groups: ["system:masters"], resourceAttributes })).toMatchObject({
      allowed: true,
    });
  }),

  behaviour("a review of others needs a right of its own", async (api) => {
    const user = api.user();
    const answer = await api.post(`${AUTHORIZATION}/subjectaccessreviews`, { spec: {} }, as(user));
    expect(answer.status).toBe(403);
  }),

  behaviour("a local review asks about its own namespace", async (api) => {
    const spec = {
      user: "stranger",
      resourceAttributes: { verb: "get", resource: "pods", namespace: "other" },
    };
    const path = `${AUTHORIZATION}/namespaces/${api.namespace}/localsubjectaccessreviews`;
    const answer = await api.post(path, { metadata: { namespace: api.namespace }, spec });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain("must match metadata.namespace");
  }),

  behaviour("a review of oneself says who one is", async (api) => {
    const user = api.user();
    const { status, body } = await api.post(`${AUTHENTICATION}/selfsubjectreviews`, {}, as(user));
    expect(status).toBe(201);
    expect(body.status).toMatchObject({
      userInfo: { username: user.name, groups: ["system:authenticated"] },
    });
  }),

  behaviour("a review of a token says whose it is", async (api) => {
    const user = api.user();
    const { status, body } = await api.post(`${AUTHENTICATION}/tokenreviews`, {
      spec: { token: user.token },
    });
    expect(status).toBe(201);
    expect(body.status).toMatchObject({
      authenticated: true,
      user: { username: user.name, groups: ["system:authenticated"] },
    });
  }),

  behaviour("a review of a wrong token says that it is wrong", async (api) => {
    const { status, body } = await api.post(`${AUTHENTICATION}/tokenreviews`, { spec: { token: "wrong" } });
    expect([status, body.status]).toEqual([201, { user: {}, error: "invalid bearer token" }]);
  }),

  behaviour("a review of no token is refused", async (api) => {
    expectRefusal(await api.post(`${AUTHENTICATION}/tokenreviews`, { spec: {} }), {
      code: 400,
      reason: "BadRequest",
      message: "token is required for TokenReview in authentication",
    });
  }),

  behaviour("reviews cannot be listed", async (api) => {
    const answer = await api.get(`${AUTHORIZATION}/selfsubjectaccessreviews`);
    expect([answer.status, answer.body.reason]).toEqual([405, "MethodNotAllowed"]);
  }),
];
