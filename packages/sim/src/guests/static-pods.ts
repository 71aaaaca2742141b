import { createHash } from "node:crypto";
import { type Frozen, Node, Pod } from "@capstan/api";
import { type Client, isAlreadyExists, isNotFound } from "@capstan/runtime";

/** A machine of a control plane that runs static pods. */
export interface StaticPodHost {
  readonly nodeName: string;
  readonly address: string;
  /** The version of Kubernetes on the disk, with its v. */
  readonly version: string;
  readonly hasEtcd: boolean;
}

const NAMESPACE = "kube-system";
const CONFIG_HASH = "kubernetes.io/config.hash";

/** The components that kubeadm runs as static pods. */
const COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;

type Component = (typeof COMPONENTS)[number];

/** Creates the mirror pods of a control plane, as its kubelet does after it has registered the Node. */
export async function mirrorStaticPods(client: Client, host: StaticPodHost): Promise<void> {
  const node = await client.find(Node, { name: host.nodeName });
  if (!node) return;
  for (const component of COMPONENTS) {
    if (component === "etcd" && !host.hasEtcd) continue;
    await mirror(client, mirrorPod(component, host, node));
  }
}

/** A changed manifest is another pod of the same name. */
async function mirror(client: Client, pod: Pod): Promise<void> {
  const { name } = pod.metadata;
  const known = await client.find(Pod, { name, namespace: NAMESPACE });
  if (known && hashOf(known) === hashOf(pod)) return;
  const { uid } = known?.metadata ?? {};
  try {
    if (uid !== undefined)
      await client.delete(Pod, { name, namespace: NAMESPACE }, { uid, gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await client.create(Pod, pod);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function hashOf({ metadata }: Frozen<Pod>): string | undefined {
  return metadata.annotations?.[CONFIG_HASH];
}

function mirrorPod(component: Component, host: StaticPodHost, node: Frozen<Node>): Pod {
  const { nodeName, version } = host;
  const hash = createHash("sha256").update(`${component} ${version} ${nodeName}`).digest("hex").slice(0, 32);
  return {
    apiVersion: Pod.apiVersion,
    kind: Pod.kind,
    metadata: {
      name: `${component}-${nodeName}`,
      namespace: NAMESPACE,
      labels: { component, tier: "control-plane" },
      annotations: {
        [CONFIG_HASH]: hash,
        "kubernetes.io/config.mirror": hash,
        "kubernetes.io/config.source": "file",
        ...addressAnnotation(component, host),
      },
      ownerReferences: [
        { apiVersion: "v1", kind: Node.kind, name: nodeName, uid: node.metadata.uid ?? "", controller: true },
      ],
    },
    spec: {
      nodeName,
      priority: 2_000_001_000,
      priorityClassName: "system-node-critical",
      tolerations: [{ operator: "Exists", effect: "NoExecute" }],
      containers: [{ name: component, image: imageOf(component, version) }],
    },
  };
}

function addressAnnotation(component: Component, { address }: StaticPodHost): Record<string, string> {
  if (component === "etcd")
    return { "kubeadm.kubernetes.io/etcd.advertise-client-urls": `https://${address}:2379` };
  if (component !== "kube-apiserver") return {};
  return { "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint": `${address}:6443` };
}

function imageOf(component: Component, version: string): string {
  return component === "etcd" ? "registry.k8s.io/etcd:3.6.5-0" : `registry.k8s.io/${component}:${version}`;
}
