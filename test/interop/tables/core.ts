import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  AzureCluster,
  AzureClusterIdentity,
  Cluster,
  customKinds,
  deepEqual,
  type JsonObject,
  toConvertedDefinition,
  withDefaults,
} from "@capstan/api";
import { type ConversionWebhook, serveConversions } from "../../conversion/webhook.ts";
import { launch, type Running } from "../../journeys/capstan.ts";
import { type ControlPlane, startControlPlane } from "../../kube/control-plane.ts";
import { freePort } from "../../kube/free-port.ts";
import { startQuickAzure } from "../../kube/quick-azure.ts";
import { OWN_CONVERSIONS } from "../../../packages/manager/src/webhooks/conversion-review.ts";
import type { Table } from "../table.ts";
import { type UpstreamProvider, upstreamProvider } from "../upstream-provider.ts";
import { waitFor } from "../wait.ts";

/** The contract labels of our CRDs, one for each run. */
const CONTRACTS = [
  { name: "older", label: "cluster.x-k8s.io/v1beta1", version: "v1beta1" },
  { name: "newer", label: "cluster.x-k8s.io/v1beta2", version: "v1beta2" },
] as const;

type Contract = (typeof CONTRACTS)[number];

const ZONES = ["1", "2", "3"].map((name) => ({ name, controlPlane: true }));
const LIMIT_MS = 120_000;

/** Upstream's core reads an AzureCluster in zones, by each contract label alone. */
export const core: Table = {
  name: "core",
  about: "Cluster API's core and our infrastructure, by each contract alone",
  inputs: [
    "packages/{api,azure,azure-sim,cli,env,manager,runtime}/src/**/*.ts",
    "test/{conversion/webhook,journeys/capstan}.ts",
    "test/kube/{control-plane,quick-azure,free-port,assets}.ts",
    "test/interop/core/*",
    "test/interop/tables/core.ts",
    "examples/cluster/identity.yaml",
  ],
  run: async ({ say }) => {
    const closers: Closers = [];
    try {
      const scene = await startScene(say, closers);
      const problems: string[] = [];
      for (const contract of CONTRACTS) problems.push(...(await problemsOf(scene, contract)));
      const summary = `${CONTRACTS.length} contracts, ${ZONES.length} failure domains each`;
      return { summary, problems };
    } finally {
      for (const close of closers.toReversed()) await close();
    }
  },
};

/** A kube-apiserver with upstream's CRDs and ours, upstream's core, our manager and a simulated Azure. */
interface Scene {
  readonly plane: ControlPlane;
  readonly core: UpstreamProvider;
  readonly manager: Running;
}

/** What has been started is closed in reverse, also if the rest does not start. */
type Closers = (() => void | Promise<void>)[];

async function startScene(say: (line: string) => void, closers: Closers): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-core-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const plane = await startControlPlane();
  closers.push(() => plane.stop());
  const conversions = await serveConversions(OWN_CONVERSIONS);
  closers.push(() => conversions.close());
  const upstream = await upstreamProvider("core", { plane, folder, say });
  const isDefinition = ({ kind }: JsonObject): boolean => kind === "CustomResourceDefinition";
  const ours = customKinds.filter(({ group }) => group === AzureCluster.group);
  await apply(plane, upstream.manifests.filter(isDefinition));
  await apply(
    plane,
    ours.map((kind) => definitionOf(kind, conversions)),
  );
  closers.push(() => upstream.stop());
  await upstream.start();
  await apply(
    plane,
    upstream.manifests.filter((one) => !isDefinition(one)),
  );
  await kubectl(plane, "apply", "-f", "examples/cluster/identity.yaml");
  return { plane, core: upstream, manager: await startManager(plane, closers) };
}

async function startManager({ kubeconfig }: ControlPlane, closers: Closers): Promise<Running> {
  const azure = await startQuickAzure();
  closers.push(() => azure.stop());
  const flags = {
    kubeconfig,
    controllers: "azurecluster,azureclusteridentity",
    "azure-endpoint": azure.endpoint,
    "azure-ca": azure.ca,
    "health-addr": `127.0.0.1:${await freePort()}`,
    "webhook-port": 0,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const manager = launch(["manager", ...args, "--no-leader-elect", "--take-over"]);
  closers.push(async () => {
    manager.child.kill("SIGTERM");
    await manager.ended;
  });
  return manager;
}

function definitionOf(
  kind: Parameters<typeof toConvertedDefinition>[0],
  { clientConfig }: ConversionWebhook,
) {
  const definition = toConvertedDefinition(kind);
  if (kind.converted.length === 0) return definition;
  const webhook = { conversionReviewVersions: ["v1"], clientConfig };
  return { ...definition, spec: { ...definition.spec, conversion: { strategy: "Webhook", webhook } } };
}

/** Creates a Cluster while AzureClusters have one contract label, and says what core does not take over. */
async function problemsOf({ plane, core: upstream, manager }: Scene, contract: Contract): Promise<string[]> {
  const { name, label, version } = contract;
  const others = CONTRACTS.filter((one) => one !== contract).map((one) => `${one.label}-`);
  const definition = `crd/${AzureCluster.plural}.${AzureCluster.group}`;
  await kubectl(plane, "label", "--overwrite", definition, `${label}=${version}`, ...others);
  // Core caches what a CRD says about contracts.
  await upstream.stop();
  await upstream.start();
  await apply(plane, zonalCluster(name));
  let status: Cluster["status"];
  const found = await waitFor(LIMIT_MS, async () => {
    const text = await kubectl(plane, "get", "clusters.v1beta2.cluster.x-k8s.io", name, "-o", "json");
    ({ status } = JSON.parse(text) as Cluster);
    const isDone = status?.initialization?.infrastructureProvisioned === true && status.failureDomains;
    return isDone ? status : undefined;
  });
  if (!found) {
    const infrastructure = await kubectl(plane, "get", AzureCluster.plural, name, "-o", "jsonpath={.status}");
    const ended = manager.child.exitCode === null ? "" : `, our manager ended: ${(await manager.ended).err}`;
    return [
      `${label} alone: not provisioned after ${LIMIT_MS / 1000} s: ${JSON.stringify(status)}, AzureCluster: ${infrastructure}${ended}\n${upstream.log()}`,
    ];
  }
  const domains = found.failureDomains;
  return deepEqual(domains, ZONES)
    ? []
    : [`${label} alone: status.failureDomains: ${JSON.stringify(domains)}`];
}

function zonalCluster(name: string): readonly object[] {
  const metadata = { name, namespace: "default" };
  const { group, kind } = AzureCluster;
  return [
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: Cluster.kind,
      metadata,
      spec: {
        clusterNetwork: { pods: { cidrBlocks: ["192.168.0.0/16"] } },
        infrastructureRef: { apiGroup: group, kind, name },
      },
    },
    // Our admission webhook, which sets the defaults, is not installed beside upstream's core.
    withDefaults<AzureCluster>(AzureCluster, {
      apiVersion: AzureCluster.apiVersion,
      kind,
      metadata,
      spec: {
        location: "westeurope",
        resourceGroup: name,
        subscriptionID: "00000000-0000-0000-0000-000000000000",
        identityRef: { kind: AzureClusterIdentity.kind, name: "demo-identity", namespace: "default" },
      },
    }),
  ];
}

async function apply(plane: ControlPlane, objects: readonly object[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  const file = join(plane.kubeconfig, "..", "objects.json");
  writeFileSync(file, JSON.stringify(list));
  // Server-side: the annotation of a client-side apply is too small for a CRD.
  await kubectl(plane, "apply", "--server-side", "--force-conflicts", "-f", file);
}

const runFile = promisify(execFile);

/** Never synchronous: the simulated Azure and the conversions answer in this process. */
async function kubectl(
  { kubectl: program, kubeconfig }: ControlPlane,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await runFile(program, ["--kubeconfig", kubeconfig, ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
