import { execFile } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  customKinds,
  Event,
  Lease,
  Namespace,
  Node,
  Role,
  RoleBinding,
  Secret,
} from "@capstan/api";
import {
  createApiServer,
  createAuthority,
  type DurableStorage,
  issueCertificate,
  openSqliteStorage,
} from "@capstan/apiserver";
import { createRealEnv, type ListeningServer, serveHttp } from "@capstan/env";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { kubeAssets } from "../kube/assets.ts";

const env = createRealEnv();
const folder = mkdtempSync(join(tmpdir(), "capstan-journey-"));
const builtIns = [
  Namespace,
  Secret,
  ConfigMap,
  Event,
  Lease,
  Node,
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
];
let storage: DurableStorage;
let listening: ListeningServer;

/** A server as users meet it: TLS, client certificates, objects on disk. */
async function start(): Promise<void> {
  storage = openSqliteStorage({ env, path: join(folder, "objects.db") });
  const server = createApiServer({ env, kinds: builtIns, rules: customKinds, storage });
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const handler = server.secured({
    userOfToken: (token) => (token === "viewer" ? { name: "viewer", groups: [] } : undefined),
  });
  listening = await serveHttp(handler, {
    tls: { ...tls, clientCa: authority.cert },
    bodyLimitBytes: 3 * 1024 * 1024,
  });
  const admin = await issueCertificate(env, authority, {
    type: "client",
    user: "admin",
    groups: ["system:masters"],
  });
  writeConfig("admin", authority.cert, {
    "client-certificate-data": base64(admin.cert),
    "client-key-data": base64(admin.key),
  });
  writeConfig("viewer", authority.cert, { token: "viewer" });
  writeConfig("nobody", authority.cert, {});
}

async function stop(): Promise<void> {
  await listening.close();
  await storage.close();
}

function writeConfig(name: string, ca: string, user: object): void {
  const cluster = { server: `https://127.0.0.1:${listening.port}`, "certificate-authority-data": base64(ca) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "capstan", cluster }],
    users: [{ name, user }],
    contexts: [{ name: "capstan", context: { cluster: "capstan", user: name } }],
    "current-context": "capstan",
  };
  writeFileSync(join(folder, name), JSON.stringify(config), { mode: 0o600 });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

beforeAll(start);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const KUBECTL_LIMIT_MS = 30_000;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function kubectl(...args: string[]): Promise<Outcome> {
  return kubectlAs("admin", ...args);
}

async function kubectlAs(user: string, ...args: string[]): Promise<Outcome> {
  const { kubectl: program } = kubeAssets(() => undefined);
  const flags = [`--kubeconfig=${join(folder, user)}`, `--cache-dir=${join(folder, "cache")}`];
  try {
    const running = promisify(execFile)(program, [...flags, ...args], { timeout: KUBECTL_LIMIT_MS });
    // Without credentials kubectl would ask for a name and wait.
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

function manifest(name: string, ...objects: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, objects.map((object) => stringify(object)).join("---\n"));
  return path;
}

const pool = (replicas: number) => ({
  apiVersion: "cluster.x-k8s.io/v1beta1",
  kind: "MachinePool",
  metadata: { name: "pool", namespace: "default" },
  spec: {
    clusterName: "harbour",
    replicas,
    template: {
      spec: {
        clusterName: "harbour",
        bootstrap: { dataSecretName: "" },
        infrastructureRef: { kind: "AzureMachinePool", name: "pool" },
      },
    },
  },
});

describe("stock kubectl over TLS", () => {
  test("installs our CRDs and waits for them", async () => {
    const files = globSync("packages/api/crds/*.yaml")
      .filter((file) => !file.includes("azure.com_"))
      .flatMap((file) => ["-f", file]);
    const created = await kubectl("create", ...files);
    expect([created.code, created.err]).toEqual([0, ""]);
    const waited = await kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=10s");
    expect(waited.code).toBe(0);
  });

  test("applies a manifest, changes it, and shows it in columns", async () => {
    expect((await kubectl("apply", "-f", manifest("pool.yaml", pool(3)))).out).toBe(
      "machinepool.cluster.x-k8s.io/pool created\n",
    );
    expect((await kubectl("apply", "-f", manifest("pool.yaml", pool(5)))).out).toBe(
      "machinepool.cluster.x-k8s.io/pool configured\n",
    );
    expect((await kubectl("apply", "-f", manifest("pool.yaml", pool(5)))).out).toBe(
      "machinepool.cluster.x-k8s.io/pool unchanged\n",
    );
    const table = (await kubectl("get", "mp")).out.split("\n");
    expect(table[0]?.split(/ {2,}/).slice(0, 3)).toEqual(["NAME", "CLUSTER", "DESIRED"]);
    expect(table[1]?.split(/ {2,}/).slice(0, 3)).toEqual(["pool", "harbour", "5"]);
  });

  test("explains fields, scales, patches and labels", async () => {
    expect((await kubectl("explain", "machinepool.spec.replicas")).out).toContain(
      "FIELD: replicas <integer>",
    );
    expect((await kubectl("scale", "machinepool/pool", "--replicas=2")).out).toContain("scaled");
    expect(
      (await kubectl("patch", "mp", "pool", "--type=merge", "-p", '{"spec":{"minReadySeconds":7}}')).code,
    ).toBe(0);
    expect(
      (
        await kubectl(
          "patch",
          "mp",
          "pool",
          "--type=json",
          "-p",
          '[{"op":"replace","path":"/spec/replicas","value":4}]',
        )
      ).code,
    ).toBe(0);
    expect((await kubectl("label", "mp", "pool", "deck=upper")).code).toBe(0);
    const printed = await kubectl(
      "get",
      "mp",
      "pool",
      "-o",
      "jsonpath={.spec.replicas} {.spec.minReadySeconds} {.metadata.labels.deck}",
    );
    expect(printed.out).toBe("4 7 upper");
  });

  test("is told what is wrong with a manifest", async () => {
    const typo = { ...pool(1), spec: { ...pool(1).spec, replica: 3 } };
    const strict = await kubectl("apply", "-f", manifest("typo.yaml", typo));
    expect(strict.code).toBe(1);
    expect(strict.err).toContain('unknown field "spec.replica"');
    const wrong = await kubectl(
      "apply",
      "-f",
      manifest("wrong.yaml", { ...pool(-1), metadata: { name: "wrong", namespace: "default" } }),
    );
    expect(wrong.err).toContain("spec.replicas: Invalid value: -1");
  });

  test("finds everything again after the server was stopped and started", async () => {
    const before = (
      await kubectl("get", "mp", "pool", "-o", "jsonpath={.metadata.uid} {.metadata.resourceVersion}")
    ).out;
    await stop();
    await start();
    const after = (
      await kubectl("get", "mp", "pool", "-o", "jsonpath={.metadata.uid} {.metadata.resourceVersion}")
    ).out;
    expect(after).toBe(before);
    expect((await kubectl("get", "ns", "-o", "name")).out.split("\n")).toContain("namespace/kube-system");
  });

  test("lets nobody in without a credential, and a viewer only where a role says so", async () => {
    expect((await kubectlAs("nobody", "get", "mp")).code).toBe(1);
    const denied = await kubectlAs("viewer", "get", "mp");
    expect(denied.err).toContain(
      'User "viewer" cannot list resource "machinepools" in API group "cluster.x-k8s.io" in the namespace "default"',
    );
    const meta = { name: "view", namespace: "default" };
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: meta,
      rules: [{ verbs: ["list", "get"], apiGroups: ["cluster.x-k8s.io"], resources: ["machinepools"] }],
    };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "view" };
    const binding = {
      apiVersion: role.apiVersion,
      kind: "RoleBinding",
      metadata: meta,
      roleRef,
      subjects: [{ kind: "User", name: "viewer", apiGroup: roleRef.apiGroup }],
    };
    expect((await kubectl("create", "-f", manifest("rbac.yaml", role, binding))).code).toBe(0);
    const discovery = {
      apiVersion: role.apiVersion,
      kind: "ClusterRole",
      metadata: { name: "discovery" },
      rules: [{ verbs: ["get"], nonResourceURLs: ["*"] }],
    };
    const everybody = {
      apiVersion: role.apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name: "discovery" },
      roleRef: { ...roleRef, kind: "ClusterRole", name: "discovery" },
      subjects: [{ kind: "Group", name: "system:authenticated", apiGroup: roleRef.apiGroup }],
    };
    expect((await kubectl("create", "-f", manifest("discovery.yaml", discovery, everybody))).code).toBe(0);
    expect((await kubectlAs("viewer", "get", "mp", "-o", "name")).out).toBe(
      "machinepool.cluster.x-k8s.io/pool\n",
    );
    expect((await kubectlAs("viewer", "get", "mp", "-A")).code).toBe(1);
  });

  test("deletes", async () => {
    expect((await kubectl("delete", "mp", "pool")).out).toContain('"pool" deleted');
    expect((await kubectl("get", "mp")).err).toContain("No resources found");
  });
});
