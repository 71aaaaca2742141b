import { createRealEnv, type HttpResponse } from "@capstan/env";
import { expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";
import { builtInKinds } from "../built-in/kinds.ts";

const ETCD = "/api/v1/namespaces/kube-system/pods/etcd-node-1/portforward";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const UPGRADE = { connection: "Upgrade", upgrade: "websocket" };

/** An API server in which a user may get, and perhaps create, port-forwards. */
async function served(verbs: readonly string[]) {
  const server = createApiServer({
    env: createRealEnv(),
    kinds: builtInKinds,
    pods: ({ namespace, pod, port }) =>
      `${namespace}/${pod}:${port}` === "kube-system/etcd-node-1:2379" ? () => undefined : undefined,
  });
  const headers = { "content-type": "application/json" };
  const metadata = { name: "forwarder" };
  const rules = [{ apiGroups: [""], resources: ["pods/portforward"], verbs }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "forwarder" };
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "user" }];
  for (const [plural, body] of [
    ["clusterroles", { metadata, rules }],
    ["clusterrolebindings", { metadata, roleRef, subjects }],
  ] as const)
    await server.handle({ method: "POST", path: `${RBAC}/${plural}`, headers, body });
  const secured = server.secured({ userOfToken: (name) => ({ name, groups: [] }) });
  return (path: string, extra: Readonly<Record<string, string>> = UPGRADE): Promise<HttpResponse> =>
    secured({ method: "GET", path, headers: { authorization: "Bearer user", ...extra } });
}

test("a port-forward leads to the server in the pod", async () => {
  const send = await served(["get", "create"]);
  expect((await send(`${ETCD}?ports=2379`)).tunnel?.port).toBe(2379);
});

test.each([
  [
    "without the verb create",
    ["get"],
    "?ports=2379",
    UPGRADE,
    403,
    'cannot create resource "pods/portforward"',
  ],
  ["without the verb get", ["create"], "?ports=2379", UPGRADE, 403, 'cannot get resource "pods/portforward"'],
  ["without an upgrade", ["get", "create"], "?ports=2379", {}, 400, "Upgrade request required"],
  ["without a port", ["get", "create"], "", UPGRADE, 400, 'query parameter "ports" is "": must be one port'],
  ["of two ports", ["get", "create"], "?ports=1,2", UPGRADE, 400, "must be one port"],
  [
    "of a port without a server",
    ["get", "create"],
    "?ports=80",
    UPGRADE,
    503,
    "no server listens on port 80",
  ],
])("a port-forward %s is refused", async (_, verbs, search, headers, status, words) => {
  const send = await served(verbs);
  const response = await send(ETCD + search, headers);
  expect([response.status, response.tunnel]).toEqual([status, undefined]);
  expect(((await response.json()) as { message: string }).message).toContain(words);
});
