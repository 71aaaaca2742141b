import { builtInKind, Cluster, customKinds, CustomResourceDefinition, Namespace, Secret } from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest, type Transport } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { cluster } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { inProcess } from "../cluster/transport.ts";
import { kindFor } from "../install/apply.ts";
import { definitions, inOrder, installation } from "../install/installation.ts";
import { NAMESPACE } from "../install/names.ts";
import { remove, type UninstallOptions } from "./uninstall.ts";

const env = createRealEnv();
const manifests = inOrder(installation("capstan:test"));
/** The kinds of an installation that the embedded server does not have. */
const others = manifests
  .map(kindFor)
  .filter((kind) => !builtInKinds.some((one) => one.group === kind.group && one.plural === kind.plural))
  .filter((kind, index, all) => all.findIndex(({ plural }) => plural === kind.plural) === index);
const CERTIFICATES = { namespace: NAMESPACE, name: "capstan-webhook-certificate" };
const OTHER_SECRET = { namespace: NAMESPACE, name: "azure-identity" };

interface Installed {
  readonly client: Client;
  /** The writes of the command, in their order. */
  readonly writes: readonly string[];
  /** Runs the command, and returns what it printed. */
  readonly run: (options?: Partial<UninstallOptions>) => Promise<readonly string[]>;
}

/** A management cluster with our CRDs and some of the other objects. */
async function installed(): Promise<Installed> {
  const storage = createMemoryStorage();
  const { handle } = createApiServer({
    env,
    kinds: [...builtInKinds, ...others],
    rules: customKinds,
    storage,
  });
  const writes: string[] = [];
  const watched: Transport = inProcess((request: HttpRequest) => {
    if (request.method !== "GET") writes.push(`${request.method} ${request.path.split("/").at(-1)}`);
    return handle(request);
  });
  const client = createClient({ env, transport: inProcess(handle), fieldManager: "test" });
  await Promise.all(
    definitions().map((definition) => client.create(CustomResourceDefinition, definition as never)),
  );
  for (const manifest of manifests) await client.create(kindFor(manifest), manifest);
  for (const metadata of [CERTIFICATES, OTHER_SECRET]) await client.create(Secret, { metadata });
  return {
    client,
    writes,
    run: async (options) => {
      const lines: string[] = [];
      const flags = { includeCrd: false, includeNamespace: false, deleteObjects: false, keepObjects: false };
      const say = (line: string): void => void lines.push(line);
      await remove({ env, transport: watched, say }, { ...flags, dryRun: false, ...options });
      return lines;
    },
  };
}

const older = builtInKind({
  group: Cluster.group,
  version: "v1beta1",
  kind: "Cluster",
  plural: "clusters",
  namespaced: true,
});

describe("capstan uninstall", () => {
  test("deletes all that runs the manager, and keeps CRDs, the namespace and its other Secrets", async () => {
    const { client, run } = await installed();
    const lines = await run();
    for (const manifest of manifests.filter(({ kind }) => kind !== "Namespace"))
      expect(await client.find(kindFor(manifest), manifest.metadata), manifest.kind).toBeUndefined();
    expect(lines).toContain(`deleted Secret ${NAMESPACE}/capstan-webhook-certificate`);
    expect(await client.find(Secret, CERTIFICATES)).toBeUndefined();
    expect(await client.find(Secret, OTHER_SECRET)).toBeDefined();
    expect(await client.list(CustomResourceDefinition)).toHaveLength(definitions().length);
    expect(await client.find(Namespace, { name: NAMESPACE })).toBeDefined();
  });

  test("writes nothing while objects exist, and says how many and what to do", async () => {
    const { client, run, writes } = await installed();
    await client.create(Cluster, cluster({ metadata: { name: "pier" } }));
    await expect(run()).rejects.toThrow(
      "objects exist: 1 clusters; without the manager their machines stay in Azure, and no controller works on them: delete the clusters first, or give --keep-objects",
    );
    await expect(run({ includeCrd: true })).rejects.toThrow(
      "objects exist: 1 clusters; deleting the CRDs deletes them, and the clusters with their machines in Azure",
    );
    expect(writes).toEqual([]);
  });

  test("leaves objects readable when the manager cannot convert them any more", async () => {
    const { client, run } = await installed();
    await client.create(Cluster, cluster({ metadata: { name: "pier" } }));
    const lines = await run({ keepObjects: true });
    expect(lines).toContain(
      "ended the conversion of clusters.cluster.x-k8s.io: only v1beta2 is served from now on",
    );
    expect(await client.list(Cluster)).toHaveLength(1);
    await expect(client.list(older)).rejects.toThrow("404");
    const { spec } = await client.get(CustomResourceDefinition, { name: "clusters.cluster.x-k8s.io" });
    expect(spec.conversion).toEqual({ strategy: "None" });
  });

  test("refuses to leave objects that may be stored in an older version", async () => {
    const { client, run, writes } = await installed();
    await client.create(Cluster, cluster({ metadata: { name: "pier" } }));
    const name = "clusters.cluster.x-k8s.io";
    const body = { status: { storedVersions: ["v1beta1", "v1beta2"] } };
    await client.patch(CustomResourceDefinition, { name }, { type: "merge", subresource: "status", body });
    await expect(run({ keepObjects: true })).rejects.toThrow(
      "clusters.cluster.x-k8s.io: objects are still stored in an older version, which only the manager converts",
    );
    expect(writes).toEqual([]);
  });

  test("deletes clusters, then CRDs, then what the manager needs", async () => {
    const { client, run, writes } = await installed();
    await client.create(Cluster, cluster({ metadata: { name: "pier" } }));
    const lines = await run({ includeCrd: true, deleteObjects: true });
    expect(lines[2]).toBe("deleted all Clusters, with their machines in Azure");
    expect(lines.at(-1)).toBe(`deleted Secret ${NAMESPACE}/capstan-webhook-certificate`);
    expect(await client.list(CustomResourceDefinition)).toEqual([]);
    const order = [
      "DELETE capstan",
      "DELETE pier",
      "DELETE clusters.cluster.x-k8s.io",
      "DELETE capstan-manager",
    ];
    expect([...new Set(writes.filter((write) => order.includes(write)))]).toEqual(order);
    expect(await run({ includeCrd: true })).toEqual([]);
  });

  test("lists the same steps in a dry run, and writes nothing", async () => {
    const { run, writes } = await installed();
    const lines = await run({ includeCrd: true, includeNamespace: true, dryRun: true });
    expect(writes).toEqual([]);
    expect(lines[0]).toBe("would delete ValidatingWebhookConfiguration capstan");
    expect(lines.at(-1)).toBe(`would delete Namespace ${NAMESPACE}`);
    const kinds = lines.map((line) => line.split(" ")[2]);
    expect(lines[2]).toMatch(/^would delete 21 CRDs with their objects: .*clusters\.cluster\.x-k8s\.io/);
    expect(kinds.indexOf("Deployment")).toBeGreaterThan(2);
    expect(kinds.indexOf("Deployment")).toBeLessThan(kinds.indexOf("Service"));
    expect(kinds.lastIndexOf("Service")).toBeLessThan(kinds.indexOf("ClusterRole"));
  });
});
