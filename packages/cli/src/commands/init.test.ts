import { customKinds, toCustomResourceDefinition } from "@capstan/api";
import { builtInKinds, createApiServer, createMemoryStorage } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { webhookConfigurationKinds } from "../../../manager/src/certificates/ca-bundle.ts";
import { inProcess } from "../cluster/transport.ts";
import { installedKinds, type Manifest } from "../install/names.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";
import { install } from "./init.ts";

// Its effect on a cluster is tested on a real kube-apiserver (test/kube/manager.kube.ts): it needs server-side apply.
describe("capstan init", () => {
  test("prints what it would create, with the given image, and sends no request", async () => {
    const shell = testShell({ variables: { KUBECONFIG: "/nowhere" } });
    expect(await run(["init", "--dry-run", "--image", "example.com/capstan:2"], shell)).toBe(0);
    const documents = parseAllDocuments(shell.written.out).map(
      (document) => document.toJS() as { kind: string; spec?: object },
    );
    const counts = Map.groupBy(documents, ({ kind }) => kind);
    expect(Object.fromEntries([...counts].map(([kind, some]) => [kind, some.length]))).toEqual({
      CustomResourceDefinition: installedKinds.length,
      Namespace: 1,
      ServiceAccount: 1,
      ClusterRole: 2,
      ClusterRoleBinding: 2,
      Role: 1,
      RoleBinding: 1,
      Deployment: 1,
      PodDisruptionBudget: 1,
      Service: 2,
      MutatingWebhookConfiguration: 1,
      ValidatingWebhookConfiguration: 1,
    });
    expect(counts.get("Deployment")?.[0]?.spec).toMatchObject({
      template: { spec: { containers: [{ image: "example.com/capstan:2" }] } },
    });
  });

  test("installs the Azure provider alone beside another core: its kinds, and no rights for other providers", async () => {
    const shell = testShell();
    expect(await run(["init", "--dry-run", "--controllers", "azure"], shell)).toBe(0);
    const manifests = parseAllDocuments(shell.written.out).map((document) => document.toJS() as Manifest);
    const of = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
    const definitions = of("CustomResourceDefinition").map(({ metadata }) => metadata.name);
    expect(definitions).toContain("azureclusters.infrastructure.cluster.x-k8s.io");
    expect(definitions).toContain("azuremachinepoolmachines.infrastructure.cluster.x-k8s.io");
    expect(definitions.filter((name) => !name.endsWith(".infrastructure.cluster.x-k8s.io"))).toEqual([]);
    expect(of("ClusterRole").map(({ metadata }) => metadata.name)).toEqual(["capstan-manager"]);
    for (const configuration of [
      ...of("MutatingWebhookConfiguration"),
      ...of("ValidatingWebhookConfiguration"),
    ])
      expect(JSON.stringify(configuration)).not.toMatch(/"(bootstrap\.|controlplane\.)?cluster\.x-k8s\.io"/);
    expect(of("Deployment")[0]?.["spec"]).toMatchObject({
      template: { spec: { containers: [{ args: ["manager", "--controllers=azure"] }] } },
    });
  });

  test("refuses a controller that does not exist, and names those that do", async () => {
    const shell = testShell();
    expect(await run(["init", "--dry-run", "--controllers", "azur"], shell)).toBe(1);
    expect(shell.written.err).toContain('--controllers: there is no controller "azur"; existing: azure, ');
  });

  test("leaves the kinds of Azure Service Operator to that operator", () => {
    const left = customKinds.filter((kind) => !installedKinds.includes(kind));
    expect(left.map(({ kind }) => kind)).toEqual([
      "ResourceGroup",
      "VirtualNetwork",
      "VirtualNetworksSubnet",
      "ManagedCluster",
      "ManagedClustersAgentPool",
    ]);
  });

  /** A server with a CRD of another provider, and webhooks of it. */
  async function takenCluster() {
    const env = createRealEnv();
    const kinds = [...builtInKinds, ...webhookConfigurationKinds];
    const { handle } = createApiServer({ env, kinds, storage: createMemoryStorage() });
    const writes: string[] = [];
    const transport = inProcess((request: HttpRequest) => {
      if (request.method !== "GET") writes.push(request.path);
      return handle(request);
    });
    const headers = { "content-type": "application/json" };
    const [foreign] = customKinds.map(toCustomResourceDefinition);
    await handle({
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      headers,
      body: {
        ...foreign,
        metadata: { ...foreign?.metadata, labels: { "cluster.x-k8s.io/provider": "cluster-api" } },
      },
    });
    await handle({
      method: "POST",
      path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      headers,
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "capi-validating" },
        webhooks: [{ name: "a.cluster.x-k8s.io", rules: [{ apiGroups: ["cluster.x-k8s.io"] }] }],
      },
    });
    const init = (takeOver: boolean): Promise<void> =>
      install({ env, transport, say: () => undefined }, { takeOver, image: "capstan:test" });
    return { init, writes };
  }

  test("writes nothing where another provider has installed its CRDs", async () => {
    const { init, writes } = await takenCluster();
    await expect(init(false)).rejects.toThrow(
      'clusters.cluster.x-k8s.io belongs to provider "cluster-api" and not to capstan\nstop it and give --take-over',
    );
    expect(writes).toEqual([]);
  });

  test("takes nothing over whose old webhooks would refuse every write, and writes nothing", async () => {
    const { init, writes } = await takenCluster();
    await expect(init(true)).rejects.toThrow(
      /cannot be taken over as it is, and nothing was changed:\n {2}webhook configurations .*: ValidatingWebhookConfiguration capi-validating; delete them first/,
    );
    expect(writes).toEqual([]);
  });

  test("says which kubeconfig it cannot read", async () => {
    const shell = testShell();
    expect(await run(["init", "--kubeconfig", "absent"], shell)).toBe(1);
    expect(shell.written.err).toMatch(
      /^capstan: --kubeconfig absent cannot be read: there is no such file\n$/,
    );
  });
});
