import { ClusterRoleBinding, ConfigMap, type Frozen, isJsonObject, parseYaml, YamlError } from "@capstan/api";
import { type Client, createIfMissing, terminal } from "@capstan/runtime";
import { componentDocuments } from "../../bootstrap/cluster-configuration.ts";
import { kubeadmApiVersion } from "../../bootstrap/join-configuration.ts";
import { type YamlValue, yamlOf } from "../../bootstrap/yaml-text.ts";
import { joinForm } from "@capstan/plan";
import type { Scope } from "./scope.ts";

/** The ConfigMap that kubeadm leaves in a cluster, and reads when a machine joins. */
export const KUBEADM_CONFIG = { namespace: "kube-system", name: "kubeadm-config" };
const KEY = "ClusterConfiguration";

/** Bindings that kubeadm of newer versions expects; older ones did not create them. */
const BINDINGS = [
  {
    name: "kubeadm:cluster-admins",
    role: "cluster-admin",
    subject: { kind: "Group", name: "kubeadm:cluster-admins" },
  },
  {
    name: "kubeadm:apiserver-kubelet-client",
    role: "system:kubelet-api-admin",
    subject: { kind: "User", name: "kube-apiserver-kubelet-client" },
  },
] as const;

/** Prepares the cluster for a machine of the desired version: what kubeadm on that machine reads must be there first. */
export async function prepareJoin(scope: Scope): Promise<void> {
  const { shared, cluster } = scope;
  if (!cluster) return;
  const client = await shared.ports.workloadClient(cluster);
  for (const binding of BINDINGS) await ensureBinding(client, binding);
  await updateConfiguration(scope, client);
}

async function ensureBinding(
  client: Client,
  { name, role, subject }: (typeof BINDINGS)[number],
): Promise<void> {
  if (await client.find(ClusterRoleBinding, { name })) return;
  const apiGroup = "rbac.authorization.k8s.io";
  await createIfMissing(client, ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup, ...subject }],
  });
}

async function updateConfiguration(scope: Scope, client: Client): Promise<void> {
  const map = await client.get(ConfigMap, KUBEADM_CONFIG);
  const before = map.data?.[KEY] ?? "";
  const text = updatedConfiguration(before, scope.controlPlane.spec);
  if (text === before) return;
  const { resourceVersion } = map.metadata;
  const body = { metadata: { resourceVersion }, data: { [KEY]: text } };
  await client.patch(ConfigMap, KUBEADM_CONFIG, { type: "merge", body });
}

/** The ClusterConfiguration of a cluster with the desired version and components; the same text if it has them already. */
function updatedConfiguration(text: string, spec: Frozen<Scope["controlPlane"]>["spec"]): string {
  const stored = documentIn(text);
  const { version } = spec;
  const apiVersion = kubeadmApiVersion(version) ?? "v1beta4";
  const { clusterConfiguration: desired = {} } = joinForm(spec.kubeadmConfigSpec ?? {}, version);
  const { initConfiguration } = spec.kubeadmConfigSpec ?? {};
  const changes = {
    apiVersion: `kubeadm.k8s.io/${apiVersion}`,
    kubernetesVersion: version,
    ...componentDocuments({ clusterConfiguration: desired, initConfiguration }, apiVersion),
    ...(desired.imageRepository !== undefined && { imageRepository: desired.imageRepository }),
    ...(desired.featureGates && { featureGates: desired.featureGates }),
  };
  const merged = { ...stored, ...defined(changes) };
  return yamlOf(merged) === yamlOf(stored) ? text : yamlOf(merged);
}

type Document = Readonly<Record<string, YamlValue>>;

function documentIn(text: string): Document {
  try {
    const value = parseYaml(text);
    if (isJsonObject(value)) return value as Document;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
  }
  const message = `ConfigMap ${KUBEADM_CONFIG.namespace}/${KUBEADM_CONFIG.name} of the workload cluster has no readable ${KEY}; kubeadm cannot join machines without it`;
  throw terminal("KubeadmConfigUnreadable", message);
}

function defined(fields: Readonly<Record<string, YamlValue | undefined>>): Document {
  const entries = Object.entries(fields).filter(
    (entry): entry is [string, YamlValue] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
