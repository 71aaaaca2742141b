/** A management cluster with Cluster API's core and kubeadm providers, and ours for Azure; clusterctl installs all of them. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { stringify } from "yaml";
import { type GuestAzure, startGuestAzure } from "../kube/guest-azure.ts";
import { type Management, type RunningManager, startManagementWith } from "../kube/management.ts";
import { clusterApiFolder, interopProgram } from "./programs.ts";
import {
  packageOf,
  type ProviderName,
  type UpstreamProvider,
  upstreamProvider,
} from "./upstream-provider.ts";
import { VERSIONS } from "./versions.ts";

/** How a program ended. */
interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** All programs of a management cluster. */
export interface BesideUpstream {
  readonly management: Management<GuestAzure>;
  readonly clusterctl: (...args: readonly string[]) => Promise<Ran>;
  /** Objects of the management cluster. */
  readonly objects: (...args: readonly string[]) => Promise<readonly JsonObject[]>;
  /** The ends of all logs. */
  readonly logs: () => string;
  readonly stop: () => Promise<void>;
}

const CORE_VERSION = VERSIONS["sigs.k8s.io/cluster-api"];

/** A provider of Cluster API as clusterctl knows it. */
interface KnownProvider {
  readonly program: ProviderName;
  readonly name: string;
  readonly type: string;
  /** The folder in a repository, and the value of the label of its objects. */
  readonly label: string;
  readonly file: string;
}

const UPSTREAM: readonly KnownProvider[] = [
  {
    program: "core",
    name: "cluster-api",
    type: "CoreProvider",
    label: "cluster-api",
    file: "core-components.yaml",
  },
  {
    program: "bootstrap",
    name: "kubeadm",
    type: "BootstrapProvider",
    label: "bootstrap-kubeadm",
    file: "bootstrap-components.yaml",
  },
  {
    program: "controlplane",
    name: "kubeadm",
    type: "ControlPlaneProvider",
    label: "control-plane-kubeadm",
    file: "control-plane-components.yaml",
  },
];
const CAPSTAN = { name: "capstan", type: "InfrastructureProvider", label: "infrastructure-capstan" } as const;

/** How the programs of a management cluster are started. */
interface BesideOptions {
  /** The simulated Azure of another management cluster; it has its own unless given. */
  readonly azure?: GuestAzure;
  /** Feature gates of Cluster API, besides that of ClusterClasses. */
  readonly gates?: readonly string[];
}

/** Installs everything with clusterctl, and starts it, with a simulated Azure of its own or of another management cluster. */
export async function startBesideUpstream(
  say: (line: string) => void,
  { azure, gates = [] }: BesideOptions = {},
): Promise<BesideUpstream> {
  const program = interopProgram("clusterctl", say);
  const management = await startManagementWith({
    startAzure: azure
      ? (): Promise<GuestAzure> => Promise.resolve({ ...azure, stop: () => Promise.resolve() })
      : startGuestAzure,
    managerFlags: ["--controllers=azure"],
  });
  const closers: (() => Promise<unknown>)[] = [() => management.stop()];
  const stop = async (): Promise<void> => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const clusterctl = clusterctlIn(management, program, await repository(management));
    await management.apply(CERT_MANAGER);
    await installed(clusterctl);
    const providers = await startProviders(management, { say, closers, gates });
    const manager = await management.startManager();
    closers.push(() => ended(manager));
    return {
      management,
      clusterctl,
      objects: async (...args) => itemsOf(await management.kubectl("get", ...args, "-o", "json")),
      logs: () => providers.map((provider) => provider.log()).join("\n"),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function installed(clusterctl: BesideUpstream["clusterctl"]): Promise<void> {
  const providers = ["--core=cluster-api", "--bootstrap=kubeadm", "--control-plane=kubeadm"];
  const { code, err } = await clusterctl("init", ...providers, `--infrastructure=${CAPSTAN.name}`);
  if (code !== 0) throw new Error(`clusterctl init failed: ${err}`);
}

async function ended({ child, ended: end }: RunningManager): Promise<void> {
  child.kill("SIGTERM");
  await end;
}

interface ProvidersOptions extends Required<Pick<BesideOptions, "gates">> {
  readonly say: (line: string) => void;
  readonly closers: (() => Promise<unknown>)[];
}

async function startProviders(
  { plane, folder, kubectl }: Management<GuestAzure>,
  { say, closers, gates }: ProvidersOptions,
): Promise<readonly UpstreamProvider[]> {
  const started = UPSTREAM.map(async ({ program, label }) => {
    const on = ["ClusterTopology", ...gates].map((gate) => `${gate}=true`).join(",");
    const flags = program === "bootstrap" ? [] : [`--feature-gates=${on}`];
    const provider = await upstreamProvider(program, { plane, folder, say, flags });
    const kinds = "crd,mutatingwebhookconfigurations,validatingwebhookconfigurations";
    const selector = `cluster.x-k8s.io/provider=${label}`;
    const objects = itemsOf(await kubectl("get", kinds, "-l", selector, "-o", "json"));
    const file = join(folder, `${program}-webhooks.json`);
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: "v1", kind: "List", items: objects.map(provider.addressed) }),
    );
    closers.push(() => provider.stop());
    await kubectl("replace", "-f", file);
    await provider.start();
    return provider;
  });
  return Promise.all(started);
}

/** A local repository with the packages of all providers; returns the configuration file of clusterctl. */
async function repository(management: Management<GuestAzure>): Promise<string> {
  const base = join(management.folder, "repository");
  for (const { program, label, file } of UPSTREAM) {
    const folder = join(base, label, CORE_VERSION);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), packageOf(program, management.plane));
    await copyFile(join(clusterApiFolder(), "metadata.yaml"), join(folder, "metadata.yaml"));
  }
  await promisify(execFile)(process.execPath, ["tools/clusterctl-package.ts", "--out", base]);
  const own = join(base, CAPSTAN.label, "v0.1.0", "infrastructure-components.yaml");
  const providers = [
    ...UPSTREAM.map(({ name, type, label, file }) => ({
      name,
      type,
      url: join(base, label, CORE_VERSION, file),
    })),
    { name: CAPSTAN.name, type: CAPSTAN.type, url: own },
  ];
  const config = join(management.folder, "clusterctl.yaml");
  writeFileSync(config, stringify({ providers }));
  return config;
}

function clusterctlIn(
  { folder, plane }: Management<GuestAzure>,
  program: string,
  config: string,
): BesideUpstream["clusterctl"] {
  const home = join(folder, "home");
  mkdirSync(home);
  const env = {
    ...process.env,
    ...VARIABLES,
    KUBECONFIG: plane.kubeconfig,
    HOME: home,
    XDG_CONFIG_HOME: home,
    CLUSTERCTL_DISABLE_VERSIONCHECK: "true",
  };
  return (...args) =>
    new Promise((resolve) => {
      execFile(
        program,
        [...args, "--config", config],
        { env, maxBuffer: 64 * 1024 * 1024 },
        (error, out, err) => resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
      );
    });
}

/** The variables of our cluster templates. */
const VARIABLES = {
  CLUSTER_TOPOLOGY: "true",
  AZURE_LOCATION: "westeurope",
  AZURE_SUBSCRIPTION_ID: "00000000-0000-0000-0000-000000000000",
  AZURE_TENANT_ID: "11111111-1111-1111-1111-111111111111",
  AZURE_CLIENT_ID: "22222222-2222-2222-2222-222222222222",
};

function itemsOf(text: string): readonly JsonObject[] {
  const list: unknown = JSON.parse(text);
  const items = isJsonObject(list) ? list["items"] : undefined;
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

/** clusterctl asks whether cert-manager works by creating objects of its kinds; upstream's packages have some. */
const CERT_MANAGER = ["Certificate", "Issuer"]
  .map((kind) => {
    const plural = `${kind.toLowerCase()}s`;
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    return stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.cert-manager.io` },
      spec: {
        group: "cert-manager.io",
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
  })
  .join("---\n");
