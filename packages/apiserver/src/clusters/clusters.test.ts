import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, Namespace } from "@capstan/api";
import {
  createHttpTransport,
  createRealEnv,
  type Env,
  type Handler,
  type HttpRequest,
  Scheduler,
  VirtualProcess,
} from "@capstan/env";
import { afterEach, describe, expect, test } from "vitest";
import { builtInKinds } from "../built-in/kinds.ts";
import { type Clusters, openClusters } from "./clusters.ts";
import { parseKubeconfig } from "./kubeconfig.ts";
import { kubeconfigPath, MANAGEMENT_CLUSTER, savedClusters } from "./layout.ts";

const env = createRealEnv();
const kinds = [Namespace, ConfigMap];
const DAY_MS = 24 * 3_600_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-clusters-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(folder: string, names: readonly string[], at: Env = env): Promise<Clusters> {
  const clusters = await openClusters({ env: at, folder });
  cleanups.push(() => clusters.close());
  for (const name of names) await clusters.add(name, { kinds });
  await clusters.serve({ port: 0 });
  return clusters;
}

const factsOf = (folder: string, name: string) => {
  const facts = parseKubeconfig(readFileSync(kubeconfigPath(folder, name), "utf8"));
  if (!facts) throw new Error(`no kubeconfig of ${name}`);
  return facts;
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to one cluster with the credential of another, or with none. */
async function ask(
  folder: string,
  question: { at: string; as?: string | undefined; path?: string; method?: string; body?: unknown },
): Promise<Answer> {
  const { at, as, path = "/api/v1/namespaces", method = "GET", body } = question;
  const { server, ca } = factsOf(folder, at);
  const client = as === undefined ? {} : factsOf(folder, as).client;
  const transport = createHttpTransport({ baseUrl: server, ca, ...client });
  const headers = { "content-type": "application/json" };
  const answer = await transport.request({ method, path, headers, ...(body !== undefined && { body }) });
  const text = await answer.text();
  await transport.close();
  return { status: answer.status, text };
}

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

describe("clusters on one port", () => {
  test("accept their own administrator and no other cluster's", async () => {
    const folder = newFolder();
    await start(folder, [MANAGEMENT_CLUSTER, "east", "west"]);
    const all = [MANAGEMENT_CLUSTER, "east", "west"];
    const table = [];
    for (const at of all) {
      for (const as of [...all, undefined]) table.push([at, as, (await ask(folder, { at, as })).status]);
    }
    expect(table).toEqual(
      all.flatMap((at) => [...all, undefined].map((as) => [at, as, as === at ? 200 : 401])),
    );
  });

  test("keep their objects separate", async () => {
    const folder = newFolder();
    await start(folder, [MANAGEMENT_CLUSTER, "east"]);
    const body = configMap("only-east");
    expect(
      await ask(folder, { at: "east", as: "east", path: CONFIG_MAPS, method: "POST", body }),
    ).toMatchObject({
      status: 201,
    });
    const path = `${CONFIG_MAPS}/only-east`;
    expect((await ask(folder, { at: "east", as: "east", path })).status).toBe(200);
    expect((await ask(folder, { at: MANAGEMENT_CLUSTER, as: MANAGEMENT_CLUSTER, path })).status).toBe(404);
  });

  test("are added and removed while the port is open, and their watches end", async () => {
    const folder = newFolder();
    const clusters = await start(folder, [MANAGEMENT_CLUSTER]);
    await clusters.add("late", { kinds });
    expect((await ask(folder, { at: "late", as: "late" })).status).toBe(200);
    const { server, ca, client } = factsOf(folder, "late");
    const transport = createHttpTransport({ baseUrl: server, ca, ...client });
    const watch = await transport.request({
      method: "GET",
      path: "/api/v1/namespaces?watch=true",
      headers: {},
    });
    const lines = Array.fromAsync(watch.lines());
    await clusters.remove("late");
    expect((await lines).length).toBeGreaterThan(0);
    const gone = await transport.request({ method: "GET", path: "/api/v1/namespaces", headers: {} });
    expect([gone.status, await gone.json()]).toEqual([
      404,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'no cluster named "late" is served here',
        reason: "NotFound",
        details: { name: "late", kind: "clusters" },
        code: 404,
      },
    ]);
    await transport.close();
    expect([clusters.names(), savedClusters(folder)]).toEqual([[MANAGEMENT_CLUSTER], [MANAGEMENT_CLUSTER]]);
  });

  test("with the name of a removed one do not accept its certificates", async () => {
    const folder = newFolder();
    const clusters = await start(folder, [MANAGEMENT_CLUSTER, "east"]);
    const old = factsOf(folder, "east");
    await clusters.remove("east");
    await clusters.add("east", { kinds });
    const transport = createHttpTransport({ baseUrl: old.server, ca: old.ca, ...old.client });
    const answer = await transport.request({ method: "GET", path: "/api/v1/namespaces", headers: {} });
    expect([answer.status, await answer.text()].slice(0, 1)).toEqual([401]);
    await transport.close();
  });
});

describe("paths", () => {
  const hosted = async (): Promise<(path: string, extra?: Partial<HttpRequest>) => Promise<number>> => {
    const clusters = await openClusters({ env });
    const authentication = {
      userOfToken: (token: string) =>
        token === "sesame" ? { name: "root", groups: ["system:masters"] } : undefined,
    };
    await clusters.add(MANAGEMENT_CLUSTER, { kinds, authentication });
    await clusters.add("east", { kinds });
    return async (path, extra = {}) =>
      (await clusters.handler({ method: "GET", path, headers: {}, ...extra })).status;
  };
  const token = { headers: { authorization: "Bearer sesame" } };

  test.each([
    ["/readyz", 200, 200],
    ["/api/v1/namespaces", 401, 200],
    ["/clusters/east/readyz", 200, 401],
    ["/clusters/east/readyz?verbose", 200, 401],
    ["/clusters/east", 401, 401],
    ["/clusters/east?x", 401, 401],
    ["/clusters/east/api/v1/namespaces", 401, 401],
    ["/clusters/eas/readyz", 404, 404],
    ["/clusters/east2/readyz", 404, 404],
    ["/clusters/EAST/readyz", 404, 404],
    ["/clusters/%65ast/readyz", 404, 404],
    ["/clusters/../readyz", 404, 404],
    ["/clusters//readyz", 404, 404],
    ["/clusters", 404, 404],
    ["/clusters/", 404, 404],
    ["/clusters?x", 404, 404],
    ["/clusters/management/readyz", 404, 404],
    ["/clustersx/east", 401, 404],
    ["//clusters/east/readyz", 401, 404],
  ])(
    "%s answers %i to an anonymous client and %i to the management cluster's root",
    async (path, stranger, root) => {
      const knock = await hosted();
      expect([await knock(path), await knock(path, token)]).toEqual([stranger, root]);
    },
  );

  test("in memory accept no client certificate", async () => {
    const knock = await hosted();
    const peer = { commonName: "root", organizations: ["system:masters"] };
    expect(await knock("/api/v1/namespaces", { peer })).toBe(401);
    expect(await knock("/api/v1/namespaces", { peer: { ...peer, authority: "AB:CD" } })).toBe(401);
    expect(await knock("/api/v1/namespaces", { peer, ...token })).toBe(200);
  });
});

describe("a service account's token", () => {
  test("is valid in the cluster that issued it and in no other", async () => {
    const clusters = await openClusters({ env });
    const path = "/api/v1/namespaces/default/serviceaccounts";
    const headers = { "content-type": "application/json" };
    const add = async (name: string): Promise<Handler> => {
      const { handle } = (await clusters.add(name, { kinds: builtInKinds })).server;
      const body = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "sailor" } };
      expect((await handle({ method: "POST", path, headers, body })).status).toBe(201);
      return handle;
    };
    const east = await add("east");
    await add("west");
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const issued = await east({ method: "POST", path: `${path}/sailor/token`, headers, body });
    const { status } = (await issued.json()) as { status: { token: string } };
    const authorization = `Bearer ${status.token}`;
    const knock = async (name: string): Promise<number> => {
      const asked = { method: "GET", path: `/clusters/${name}/api/v1/nodes`, headers: { authorization } };
      return (await clusters.handler(asked)).status;
    };
    expect([await knock("east"), await knock("west")]).toEqual([403, 401]);
    await clusters.close();
  });
});

describe("a host of clusters", () => {
  test.each(["", "Upper", "a/b", "..", "a".repeat(64), "-a"])("refuses the name %j", async (name) => {
    const clusters = await openClusters({ env });
    await expect(clusters.add(name, { kinds })).rejects.toThrow(`cluster name ${JSON.stringify(name)}: `);
  });

  test("refuses a name that is taken, also while its cluster is being opened", async () => {
    const clusters = await openClusters({ env });
    const first = clusters.add("east", { kinds });
    await expect(clusters.add("east", { kinds })).rejects.toThrow('cluster name "east" is taken');
    await first;
    await clusters.remove("east");
    expect((await clusters.add("east", { kinds })).prefix).toBe("/clusters/east");
  });

  test("in memory needs no files, and opens no port", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const clusters = await openClusters({ env: new VirtualProcess(scheduler, "host") });
    const { server } = await clusters.add("east", { kinds });
    expect(
      (await server.handle({ method: "GET", path: "/api/v1/namespaces/default", headers: {} })).status,
    ).toBe(200);
    await expect(clusters.serve({ port: 0 })).rejects.toThrow("clusters in memory have no certificates");
  });
});

describe("stored data", () => {
  const modes = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .toSorted()
        .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );

  test("is readable for its owner only, and no file is left half-written", async () => {
    const folder = newFolder();
    const clusters = await start(folder, [MANAGEMENT_CLUSTER, "east"]);
    await clusters.close();
    expect(modes(folder)).toMatchObject({
      clusters: "700",
      "clusters/east": "700",
      "clusters/east/ca.key": "600",
      "clusters/east/kubeconfig": "600",
      "clusters/management/ca.key": "600",
      kubeconfig: "600",
      serving: "700",
      "serving/ca.key": "600",
      "serving/tls.key": "600",
    });
    expect(Object.keys(modes(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(existsSync(join(folder, "clusters/management/kubeconfig"))).toBe(false);
  });

  test("survives a restart: objects, certificate authorities and the administrator's certificate", async () => {
    const folder = newFolder();
    const first = await start(folder, [MANAGEMENT_CLUSTER, "east"]);
    const body = configMap("kept");
    await ask(folder, { at: "east", as: "east", path: CONFIG_MAPS, method: "POST", body });
    const before = factsOf(folder, "east");
    await first.close();
    await start(folder, [MANAGEMENT_CLUSTER, "east"]);
    expect(factsOf(folder, "east")).toEqual({
      ...before,
      server: expect.stringMatching(/\/clusters\/east$/) as string,
    });
    expect((await ask(folder, { at: "east", as: "east", path: `${CONFIG_MAPS}/kept` })).status).toBe(200);
  });

  test("is renewed at a start within thirty days of its expiry, and not before", async () => {
    const folder = newFolder();
    const at = (days: number): Env => ({
      ...env,
      clock: { ...env.clock, now: () => env.clock.now() + days * DAY_MS },
    });
    const clientAfter = async (days: number): Promise<string> => {
      const clusters = await start(folder, [MANAGEMENT_CLUSTER], at(days));
      await clusters.close();
      return factsOf(folder, MANAGEMENT_CLUSTER).client.cert;
    };
    const first = await clientAfter(0);
    expect(await clientAfter(330)).toBe(first);
    expect(await clientAfter(336)).not.toBe(first);
  });

  test("has certificates that follow the real clock, even if the clock of the clusters is far ahead", async () => {
    const folder = newFolder();
    const nowMs = (): number => env.clock.now() + 20 * 365 * DAY_MS;
    const ahead: Env = { ...env, clock: { ...env.clock, now: nowMs } };
    const open = async (): Promise<Clusters> => {
      const clusters = await openClusters({ env: ahead, folder, outside: env });
      cleanups.push(() => clusters.close());
      await clusters.add(MANAGEMENT_CLUSTER, { kinds });
      await clusters.serve({ port: 0 });
      return clusters;
    };
    const first = await open();
    const whole = { at: MANAGEMENT_CLUSTER, as: MANAGEMENT_CLUSTER, path: CONFIG_MAPS };
    const { status, text } = await ask(folder, { ...whole, method: "POST", body: configMap("later") });
    expect(status).toBe(201);
    expect(text).toContain(`"creationTimestamp":"${new Date(nowMs()).getUTCFullYear()}-`);
    const { client } = factsOf(folder, MANAGEMENT_CLUSTER);
    await first.close();
    await open();
    expect(factsOf(folder, MANAGEMENT_CLUSTER).client).toEqual(client);
  });

  test.each([
    ["serving/tls.crt", "not a certificate"],
    ["serving/ca.key", ""],
    ["clusters/management/ca.crt", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
    ["kubeconfig", "kind: Config\n"],
  ])("is recreated when %s is damaged, and the administrator still has access", async (file, text) => {
    const folder = newFolder();
    await (await start(folder, [MANAGEMENT_CLUSTER])).close();
    writeFileSync(join(folder, file), text);
    await start(folder, [MANAGEMENT_CLUSTER]);
    expect((await ask(folder, { at: MANAGEMENT_CLUSTER, as: MANAGEMENT_CLUSTER })).status).toBe(200);
  });
});
