/** A cluster that clusterctl generates from one of our templates, as a user would: some parts belong to the test's machine. */
import {
  AzureCluster,
  type Cluster,
  getCondition,
  isJsonObject,
  type JsonObject,
  KubeadmControlPlane,
} from "@capstan/api";
import { createAuthority } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { parseAllDocuments, stringify } from "yaml";
import type { BesideUpstream } from "./beside-upstream.ts";
import { waitFor } from "./wait.ts";

/** How long the largest step of a cluster may take. */
export const SETTLED_MS = 15 * 60_000;
const APPLIED_MS = 60_000;

/** Which cluster, and at which loopback address its control planes listen. */
export interface GeneratedCluster {
  readonly name: string;
  readonly host: string;
}

/** Applies what clusterctl has generated for a cluster, with what a user creates before. Returns problems. */
export async function applyGenerated(
  { management }: BesideUpstream,
  cluster: GeneratedCluster,
  text: string,
): Promise<readonly string[]> {
  const { cert, key } = await createAuthority(createRealEnv());
  const objects = [...secrets(cluster, { cert, key }), ...changed(cluster, text)];
  const manifests = objects.map((object) => stringify(object)).join("---\n");
  let problem = "";
  // The webhooks are trusted soon after the manager leads.
  const isApplied = await waitFor(APPLIED_MS, () =>
    management.apply(manifests).catch((error: unknown) => {
      problem = String(error);
      return undefined;
    }),
  );
  return isApplied === undefined ? [problem] : [];
}

/** What users create before: the password of the identity, and the certificates of their etcd. */
function secrets(
  { name: cluster }: GeneratedCluster,
  { cert, key }: { readonly cert: string; readonly key: string },
): readonly JsonObject[] {
  const secret = (name: string, stringData: JsonObject, labels: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default", labels },
    stringData,
  });
  const ofCluster = { "cluster.x-k8s.io/cluster-name": cluster };
  return [
    secret(
      "cluster-identity-secret",
      { clientSecret: "simulated-secret" },
      { "clusterctl.cluster.x-k8s.io/move-hierarchy": "true" },
    ),
    secret(`${cluster}-etcd`, { "tls.crt": cert }, ofCluster),
    secret(`${cluster}-apiserver-etcd-client`, { "tls.crt": cert, "tls.key": key }, ofCluster),
  ];
}

/** The same manifests at an endpoint that this machine has, with an etcd elsewhere. */
function changed({ host }: GeneratedCluster, text: string): readonly JsonObject[] {
  const certificates = "/etc/kubernetes/pki";
  const external = {
    endpoints: ["https://127.0.0.1:2379"],
    caFile: `${certificates}/etcd/ca.crt`,
    certFile: `${certificates}/apiserver-etcd-client.crt`,
    keyFile: `${certificates}/apiserver-etcd-client.key`,
  };
  return parseAllDocuments(text).flatMap((document) => {
    const object: unknown = document.toJS();
    if (!isJsonObject(object)) return [];
    if (object["kind"] === AzureCluster.kind)
      document.setIn(["spec", "controlPlaneEndpoint"], { host, port: 6443 });
    const spec = KUBEADM_SPEC.get(String(object["kind"]));
    if (spec) document.setIn([...spec, "clusterConfiguration", "etcd"], { external });
    return [document.toJS() as JsonObject];
  });
}

/** Where a control plane, or a template of one, has the configuration of kubeadm. */
const KUBEADM_SPEC: ReadonlyMap<string, readonly string[]> = new Map([
  [KubeadmControlPlane.kind, ["spec", "kubeadmConfigSpec"]],
  ["KubeadmControlPlaneTemplate", ["spec", "template", "spec", "kubeadmConfigSpec"]],
]);

/** Waits until there are so many machines, all of them Available and of a version. */
export async function settled(
  { objects, management }: BesideUpstream,
  { version, machines: count }: { readonly version: string; readonly machines: number },
): Promise<readonly string[]> {
  const done = await waitFor(SETTLED_MS, async () => {
    const [cluster] = (await objects("clusters", "-n", "default")) as unknown as readonly Cluster[];
    const machines = await objects("machines", "-n", "default");
    const isAll = machines.every(
      ({ spec, status }) =>
        isJsonObject(spec) &&
        spec["version"] === version &&
        isJsonObject(status) &&
        status["phase"] === "Running",
    );
    return cluster && isWhole(cluster) && isAll && machines.length === count ? true : undefined;
  });
  if (done) return [];
  return [
    `not settled after ${seconds(SETTLED_MS)} s:\n${await management.kubectl("get", "clusters,machines,kubeadmcontrolplanes,machinedeployments,machinepools,azuremachinepools,azuremachinepoolmachines")}`,
  ];
}

function isWhole({ status }: Cluster): boolean {
  const { controlPlane, workers, conditions } = status ?? {};
  return (
    getCondition(conditions, "Available")?.status === "True" &&
    getCondition(conditions, "RollingOut")?.status !== "True" &&
    [controlPlane, workers].every((counts) => {
      const { desiredReplicas, replicas, availableReplicas, upToDateReplicas } = counts ?? {};
      return [replicas, availableReplicas, upToDateReplicas].every((one) => one === desiredReplicas);
    })
  );
}

/** Merges fields into an object, such as `machinepool/NAME`. */
export async function patch({ management }: BesideUpstream, owner: string, body: object): Promise<void> {
  await management.kubectl("patch", owner, "--type=merge", "-p", JSON.stringify(body));
}

/** Whole seconds. */
export function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
