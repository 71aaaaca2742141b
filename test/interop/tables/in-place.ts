import { join } from "node:path";
import type { JsonObject } from "@capstan/api";
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
const DEPLOYMENT = `machinedeployment/${QUAY.name}-md-0`;
const CALLS = 3;

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
      const summary = `two workers updated in place: asked ${asked.length} times, ${[...calls.values()].join(" and ")} calls`;
      if (problems.length > 0) return { summary, problems: [...problems, beside.logs()] };
      return {
        summary,
        problems: isCalledEnough(calls) ? [] : ["the updater was not called for each worker"],
      };
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

/** Creates a cluster, and gives its workers another file. */
async function updated(
  beside: BesideUpstream,
  { updater, calls }: ReturnType<typeof countingUpdater>,
): Promise<readonly string[]> {
  const { management, clusterctl } = beside;
  const tlsFolder = join(management.folder, "updater-tls");
  const authority = await writeServerCertificates(tlsFolder, "localhost");
  const server = await serveUpdater(updater, { host: "127.0.0.1", port: 0, tlsFolder });
  try {
    const counts = ["--control-plane-machine-count=1", "--worker-machine-count=2"];
    const flags = [`--kubernetes-version=${VERSION}`, ...counts];
    const { code, out, err } = await clusterctl("generate", "cluster", QUAY.name, ...flags);
    if (code !== 0) return [`clusterctl generate cluster failed: ${err}`];
    const whole = { version: VERSION, machines: 3 };
    const first = [...(await applyGenerated(beside, QUAY, out)), ...(await settled(beside, whole))];
    if (first.length > 0) return first;
    await management.apply(extensionConfig({ name: "files", port: server.port, authority }));
    await management.kubectl("wait", "extensionconfig/files", "--for=condition=Discovered", "--timeout=60s");
    const before = await workersOf(beside);
    await changeFiles(beside);
    await waitFor(SETTLED_MS, () => Promise.resolve(isCalledEnough(calls) || undefined));
    const problems = await settled(beside, whole);
    const after = await workersOf(beside);
    return after === before ? problems : [...problems, `machines were replaced: ${before} became ${after}`];
  } finally {
    await server.close();
  }
}

const isCalledEnough = (calls: ReadonlyMap<string, number>): boolean =>
  calls.size === 2 && [...calls.values()].every((count) => count >= CALLS);

/** Another template with one more file; without a spare machine, as each worker keeps its own. */
async function changeFiles(beside: BesideUpstream): Promise<void> {
  const templates = await beside.objects("kubeadmconfigtemplates", "-n", "default");
  const { apiVersion, kind, spec } = templates[0] ?? {};
  const { template } = spec as { readonly template: { readonly spec: JsonObject } };
  const files = [{ path: "/etc/motd", content: "welcome" }];
  const name = `${QUAY.name}-md-1`;
  const changed = { template: { ...template, spec: { ...template.spec, files } } };
  await beside.management.apply(
    stringify({ apiVersion, kind, metadata: { name, namespace: "default" }, spec: changed }),
  );
  const rollout = { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } };
  const bootstrap = { configRef: { name } };
  await patch(beside, DEPLOYMENT, { spec: { rollout, template: { spec: { bootstrap } } } });
}

async function workersOf({ objects }: BesideUpstream): Promise<string> {
  return identitiesOf(await objects("machines", "-n", "default", "-l", "cluster.x-k8s.io/deployment-name"));
}
