import { join } from "node:path";
import { type JsonObject, valueAt } from "@capstan/api";
import { defineUpdater, done, inProgress, isBelow, serveUpdater } from "@capstan/updater";
import { stringify } from "yaml";
import { killAll } from "../../journeys/capstan.ts";
import { type BesideUpstream, startBesideUpstream } from "../beside-upstream.ts";
import { applyGenerated, type GeneratedCluster, patch, SETTLED_MS, settled } from "../generated-cluster.ts";
import { extensionConfig, identitiesOf } from "../in-place-updates.ts";
import { writeServerCertificates } from "../server-certificates.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

const VERSION = "v1.33.5";
const HOST = `127.70.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const QUAY: GeneratedCluster = { name: "quay", host: HOST };
const WHOLE = { version: VERSION, machines: 5 };
const CALLS = 3;
// Without a spare machine, Cluster API asks whether machines can be updated in place.
const STRATEGY = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0 } };

/** Machines with one owner. */
interface Group {
  readonly owner: string;
  readonly label: string;
  readonly size: number;
  /** Gives its machines one more file. */
  readonly change: (beside: BesideUpstream, owner: string) => Promise<void>;
}

const GROUPS: readonly Group[] = [
  {
    owner: `machinedeployment/${QUAY.name}-md-0`,
    label: "cluster.x-k8s.io/deployment-name",
    size: 2,
    change: changeWorkers,
  },
  {
    owner: `kubeadmcontrolplane/${QUAY.name}-control-plane`,
    label: "cluster.x-k8s.io/control-plane",
    size: 3,
    change: changeControlPlane,
  },
];

/** An updater of our kit, called by Cluster API's own controllers. */
export const inPlace: Table = {
  name: "in-place",
  about: "an updater of our kit under Cluster API's core",
  inputs: [
    "packages/{updater,env}/src/**/*.ts",
    "packages/{api,manager}/src/**/azure-machine*/*.ts",
    "test/interop/{core,kubeadm,clusterctl}/*",
    "test/interop/tables/in-place.ts",
  ],
  run: async ({ say }) => {
    const beside = await startBesideUpstream(say, { gates: ["RuntimeSDK", "InPlaceUpdates"] });
    try {
      const counting = countingUpdater();
      const problems = await updated(beside, counting);
      const { asked, calls } = counting;
      const summary = `two workers and three machines of a control plane updated in place: asked ${asked.length} times, ${[...calls.values()].join(", ")} calls`;
      return { summary, problems: problems.length > 0 ? [...problems, beside.logs()] : [] };
    } finally {
      await beside.stop();
      killAll();
    }
  },
};

/** Accepts other files, and needs three calls for a machine. */
function countingUpdater() {
  const asked: (readonly string[])[] = [];
  const calls = new Map<string, number>();
  const updater = defineUpdater({
    name: "files",
    canUpdate: ({ changes }) => {
      asked.push(changes);
      return changes.filter((path) => isBelow(path, "bootstrap.spec.files"));
    },
    update: ({ machine: { name } }) => {
      const count = (calls.get(name) ?? 0) + 1;
      calls.set(name, count);
      return count < CALLS ? inProgress(1, "writing files") : done();
    },
  });
  return { updater, asked, calls };
}

/** Creates a cluster, and gives the machines of each group another file. */
async function updated(
  beside: BesideUpstream,
  { updater, calls }: ReturnType<typeof countingUpdater>,
): Promise<readonly string[]> {
  const { management, clusterctl } = beside;
  const tlsFolder = join(management.folder, "updater-tls");
  const authority = await writeServerCertificates(tlsFolder, "localhost");
  const server = await serveUpdater(updater, { host: "127.0.0.1", port: 0, tlsFolder });
  try {
    const counts = ["--control-plane-machine-count=3", "--worker-machine-count=2"];
    const flags = [`--kubernetes-version=${VERSION}`, ...counts];
    const { code, out, err } = await clusterctl("generate", "cluster", QUAY.name, ...flags);
    if (code !== 0) return [`clusterctl generate cluster failed: ${err}`];
    const problems = [...(await applyGenerated(beside, QUAY, out)), ...(await settled(beside, WHOLE))];
    await management.apply(extensionConfig({ name: "files", port: server.port, authority }));
    await management.kubectl("wait", "extensionconfig/files", "--for=condition=Discovered", "--timeout=60s");
    for (const group of GROUPS)
      if (problems.length === 0) problems.push(...(await updatedInPlace(beside, group, calls)));
    return problems;
  } finally {
    await server.close();
  }
}

/** Changes a group, and expects the same machines, each of them updated by the updater. */
async function updatedInPlace(
  beside: BesideUpstream,
  { owner, label, size, change }: Group,
  calls: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const machines = (): Promise<readonly JsonObject[]> =>
    beside.objects("machines", "-n", "default", "-l", label);
  const before = await machines();
  await change(beside, owner);
  const isCalled = await waitFor(SETTLED_MS, async () => {
    const counts = before.map(({ metadata }) => calls.get(String((metadata as JsonObject)["name"])) ?? 0);
    return (counts.length === size && counts.every((count) => count >= CALLS)) || undefined;
  });
  const problems = [
    ...(isCalled ? [] : [`the updater was not called for each machine of ${owner}`]),
    ...(await settled(beside, WHOLE)),
  ];
  const [was, is] = [identitiesOf(before), identitiesOf(await machines())];
  return is === was ? problems : [...problems, `machines of ${owner} were replaced: ${was} became ${is}`];
}

const FILES = [{ path: "/etc/motd", content: "welcome" }];

/** Another template with one more file. */
async function changeWorkers(beside: BesideUpstream, owner: string): Promise<void> {
  const templates = await beside.objects("kubeadmconfigtemplates", "-n", "default");
  const { apiVersion, kind, spec } = templates[0] ?? {};
  const { template } = spec as { readonly template: { readonly spec: JsonObject } };
  const name = `${QUAY.name}-md-1`;
  const changed = { template: { ...template, spec: { ...template.spec, files: FILES } } };
  await beside.management.apply(
    stringify({ apiVersion, kind, metadata: { name, namespace: "default" }, spec: changed }),
  );
  const bootstrap = { configRef: { name } };
  const rollout = { strategy: { ...STRATEGY, rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } };
  await patch(beside, owner, { spec: { rollout, template: { spec: { bootstrap } } } });
}

/** One more file besides those that the template has. */
async function changeControlPlane(beside: BesideUpstream, owner: string): Promise<void> {
  const [plane] = await beside.objects("kubeadmcontrolplanes", "-n", "default");
  const files = plane && valueAt(plane, ["spec", "kubeadmConfigSpec", "files"]);
  const present = (files ?? []) as readonly JsonObject[];
  const rollout = { strategy: STRATEGY };
  await patch(beside, owner, {
    spec: { rollout, kubeadmConfigSpec: { files: [...present, ...FILES] } },
  });
}
