import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { defineUpdater, done, inProgress, isBelow, serveUpdater } from "@capstan/updater";
import { stringify } from "yaml";
import { killAll } from "../../journeys/capstan.ts";
import { type BesideUpstream, startBesideUpstream } from "../beside-upstream.ts";
import { applyGenerated, type GeneratedCluster, patch, SETTLED_MS, settled } from "../generated-cluster.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

const OLD = "v1.33.5";
const NEW = "v1.34.1";
const HOST = `127.70.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const QUAY: GeneratedCluster = { name: "quay", host: HOST };
const CONTROL_PLANE = `kubeadmcontrolplane/${QUAY.name}-control-plane`;
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
    const updater = countingUpdater();
    const server = await served(beside, updater.updater);
    try {
      const problems = await updated(beside, server.port, server.authority);
      const { asked, calls } = updater;
      const summary = `two workers upgraded in place: asked ${asked.length} times, ${[...calls.values()].join(" and ")} calls`;
      if (problems.length > 0) return { summary, problems: [...problems, beside.logs()] };
      const isCalled = calls.size === 2 && [...calls.values()].every((count) => count >= CALLS);
      return { summary, problems: isCalled ? [] : ["not each machine was updated by the updater"] };
    } finally {
      await server.close();
      await beside.stop();
      killAll();
    }
  },
};

/** Accepts another version, and needs three calls for a machine. */
function countingUpdater() {
  const asked: (readonly string[])[] = [];
  const calls = new Map<string, number>();
  const updater = defineUpdater({
    name: "upgrader",
    canUpdate: ({ changes }) => {
      asked.push(changes);
      return changes.filter((path) => isBelow(path, "machine.spec.version"));
    },
    update: ({ machine: { name } }) => {
      const count = (calls.get(name) ?? 0) + 1;
      calls.set(name, count);
      return count < CALLS ? inProgress(1, "upgrading") : done();
    },
  });
  return { updater, asked, calls };
}

async function served(
  { management: { folder } }: BesideUpstream,
  updater: ReturnType<typeof defineUpdater>,
): Promise<{ readonly port: number; readonly authority: string; close(): Promise<void> }> {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const { cert, key } = await issueCertificate(env, authority, { type: "server", hosts: ["localhost"] });
  const tlsFolder = join(folder, "updater-tls");
  mkdirSync(tlsFolder);
  writeFileSync(join(tlsFolder, "tls.crt"), cert);
  writeFileSync(join(tlsFolder, "tls.key"), key, { mode: 0o600 });
  const server = await serveUpdater(updater, { host: "127.0.0.1", port: 0, tlsFolder });
  return { port: server.port, authority: authority.cert, close: () => server.close() };
}

async function updated(beside: BesideUpstream, port: number, authority: string): Promise<readonly string[]> {
  const { management, clusterctl } = beside;
  const counts = ["--control-plane-machine-count=1", "--worker-machine-count=2"];
  const generated = await clusterctl(
    "generate",
    "cluster",
    QUAY.name,
    `--kubernetes-version=${OLD}`,
    ...counts,
  );
  if (generated.code !== 0) return [`clusterctl generate cluster failed: ${generated.err}`];
  const applied = await applyGenerated(beside, QUAY, generated.out);
  const first = [...applied, ...(await settled(beside, { version: OLD, machines: 3 }))];
  if (first.length > 0) return first;
  await management.apply(stringify(extensionAt(port, authority)));
  await management.kubectl("wait", "extensionconfig/upgrader", "--for=condition=Discovered", "--timeout=60s");
  // Workers may not be newer than their control plane.
  await patch(beside, CONTROL_PLANE, { spec: { version: NEW } });
  const isUpgraded = await waitFor(SETTLED_MS, async () => {
    const [plane] = await beside.objects("kubeadmcontrolplanes", "-n", "default");
    const { version, replicas } = (plane?.["status"] ?? {}) as JsonObject;
    return version === NEW && replicas === 1 ? true : undefined;
  });
  if (!isUpgraded)
    return [`the control plane was not upgraded: ${await management.kubectl("get", "machines")}`];
  const before = await workersOf(beside);
  const rollout = { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } };
  await patch(beside, DEPLOYMENT, { spec: { rollout, template: { spec: { version: NEW } } } });
  const problems = await settled(beside, { version: NEW, machines: 3 });
  const after = await workersOf(beside);
  return after.join() === before.join()
    ? problems
    : [...problems, `machines were replaced: ${before.join(", ")} became ${after.join(", ")}`];
}

function extensionAt(port: number, authority: string): object {
  return {
    apiVersion: "runtime.cluster.x-k8s.io/v1beta2",
    kind: "ExtensionConfig",
    metadata: { name: "upgrader" },
    spec: {
      clientConfig: {
        url: `https://localhost:${port}`,
        caBundle: Buffer.from(authority).toString("base64"),
      },
    },
  };
}

/** The workers with their UIDs and virtual machines. */
async function workersOf({ objects }: BesideUpstream): Promise<readonly string[]> {
  const machines = await objects("machines", "-n", "default", "-l", "cluster.x-k8s.io/deployment-name");
  return machines
    .map(({ metadata, spec }) => {
      const { name, uid } = isJsonObject(metadata) ? metadata : {};
      return `${String(name)} ${String(uid)} ${isJsonObject(spec) ? String(spec["providerID"]) : ""}`;
    })
    .toSorted();
}
