import { type Frozen, type KubeadmConfig, parseVersion } from "@capstan/api";
import { completeDiscovery, type JoinTarget, sortedFields } from "./discovery.ts";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type JoinConfiguration = NonNullable<Frozen<KubeadmConfig>["spec"]["joinConfiguration"]>;
type NodeRegistration = NonNullable<JoinConfiguration["nodeRegistration"]>;

/** The versions of kubeadm's API that are written here. */
export type KubeadmApiVersion = "v1beta3" | "v1beta4";

// The minor versions of Kubernetes 1 whose kubeadm was the first to read each of them.
const FIRST_MINOR_OF_V1BETA3 = 22;
const FIRST_MINOR_OF_V1BETA4 = 31;

/** The API version that the kubeadm of a Kubernetes version reads; undefined when it is too old, or no version. */
export function kubeadmApiVersion(kubernetesVersion: string): KubeadmApiVersion | undefined {
  const version = parseVersion(kubernetesVersion);
  if (!version || version.major !== 1 || version.minor < FIRST_MINOR_OF_V1BETA3) return undefined;
  return version.minor < FIRST_MINOR_OF_V1BETA4 ? "v1beta3" : "v1beta4";
}

/** The file that `kubeadm join` is told to read on a worker. */
export function joinConfigurationText(
  given: JoinConfiguration,
  target: JoinTarget,
  version: KubeadmApiVersion,
): string {
  const { caCertPath, discovery = {}, nodeRegistration, skipPhases, patches } = given;
  const { timeout } = discovery;
  const isOld = version === "v1beta3";
  const found = completeDiscovery(discovery, target) as Readonly<Record<string, YamlValue>>;
  return yamlOf({
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "JoinConfiguration",
    caCertPath,
    discovery: isOld ? { ...found, timeout } : found,
    nodeRegistration: nodeRegistration && registration(nodeRegistration, version),
    patches: patches && { directory: patches.directory },
    skipPhases,
    timeouts: isOld || timeout === undefined ? undefined : { discovery: timeout },
  });
}

function registration(given: NodeRegistration, version: KubeadmApiVersion): YamlValue {
  const { name, criSocket, taints, kubeletExtraArgs, ignorePreflightErrors, imagePullPolicy } = given;
  return {
    name,
    criSocket,
    // No list leaves it to kubeadm; an empty one means none at all.
    taints: taints?.map(({ key, value, effect, timeAdded }) => ({ key, value, effect, timeAdded })),
    kubeletExtraArgs: kubeletExtraArgs && argumentsOf(kubeletExtraArgs, version),
    ignorePreflightErrors,
    imagePullPolicy,
    // The older kubeadm does not know it and pulls one image after the other.
    imagePullSerial: version === "v1beta3" ? undefined : given.imagePullSerial,
  };
}

/** Arguments are a map up to v1beta3 and a list of names and values after it. */
function argumentsOf(given: Readonly<Record<string, string>>, version: KubeadmApiVersion): YamlValue {
  const sorted = sortedFields(given);
  if (version === "v1beta3") return sorted;
  return Object.entries(sorted).map(([name, value]) => ({ name, value }));
}
