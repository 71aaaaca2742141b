import { formatDuration, type Frozen, type KubeadmConfig, parseVersion } from "@capstan/api";
import { completeDiscovery, type JoinTarget, sortedFields } from "./discovery.ts";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type JoinConfiguration = NonNullable<Frozen<KubeadmConfig>["spec"]["joinConfiguration"]>;
type NodeRegistration = NonNullable<JoinConfiguration["nodeRegistration"]>;

/** The supported versions of kubeadm's API. */
export type KubeadmApiVersion = "v1beta3" | "v1beta4";

// The minor versions of Kubernetes whose kubeadm introduced them.
const FIRST_MINOR_OF_V1BETA3 = 22;
const FIRST_MINOR_OF_V1BETA4 = 31;

/** The API version of a Kubernetes version's kubeadm; undefined when it is too old or not a version. */
export function kubeadmApiVersion(kubernetesVersion: string): KubeadmApiVersion | undefined {
  const version = parseVersion(kubernetesVersion);
  if (!version || version.major !== 1 || version.minor < FIRST_MINOR_OF_V1BETA3) return undefined;
  return version.minor < FIRST_MINOR_OF_V1BETA4 ? "v1beta3" : "v1beta4";
}

/** What a machine becomes by `kubeadm join`. */
export type JoinRole = "worker" | "control-plane";

/** How `kubeadm join` is configured, beside the user's fields. */
export interface JoinOptions {
  readonly target: JoinTarget;
  readonly version: KubeadmApiVersion;
  readonly role: JoinRole;
}

/** The configuration file of `kubeadm join`. */
export function joinConfigurationText(
  given: JoinConfiguration,
  { target, version, role }: JoinOptions,
): string {
  const { caCertPath, discovery = {}, nodeRegistration, skipPhases, patches, controlPlane } = given;
  const timeout = secondsText(given.timeouts?.tlsBootstrapSeconds);
  const isOld = version === "v1beta3";
  const found = completeDiscovery(discovery, target) as Readonly<Record<string, YamlValue>>;
  return yamlOf({
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "JoinConfiguration",
    caCertPath,
    discovery: isOld ? { ...found, timeout } : found,
    controlPlane: role === "control-plane" ? localEndpoint(controlPlane?.localAPIEndpoint) : undefined,
    nodeRegistration: nodeRegistration && registration(nodeRegistration, version),
    patches: patches && { directory: patches.directory },
    skipPhases,
    timeouts: timeoutsDocument(given.timeouts, version),
  });
}

type LocalEndpoint = NonNullable<NonNullable<JoinConfiguration["controlPlane"]>["localAPIEndpoint"]>;

/** The part that makes a machine a control plane; it may be empty. */
function localEndpoint(given: LocalEndpoint | undefined): YamlValue {
  return { localAPIEndpoint: given && endpointDocument(given) };
}

/** The endpoint of the API server of a machine. */
export function endpointDocument({ advertiseAddress, bindPort }: LocalEndpoint): YamlValue {
  return { advertiseAddress, bindPort };
}

/** The part that `kubeadm init` and `kubeadm join` share: how the machine becomes a Node. */
export function registration(given: NodeRegistration, version: KubeadmApiVersion): YamlValue {
  const { name, criSocket, taints, kubeletExtraArgs, ignorePreflightErrors, imagePullPolicy } = given;
  return {
    name,
    criSocket,
    // Without a list, kubeadm decides; an empty list means no taints.
    taints: taints?.map(({ key, value, effect, timeAdded }) => ({ key, value, effect, timeAdded })),
    kubeletExtraArgs: kubeletExtraArgs && argumentsOf(kubeletExtraArgs, version),
    ignorePreflightErrors,
    imagePullPolicy,
    // The older kubeadm does not have the field and always pulls images serially.
    imagePullSerial: version === "v1beta3" ? undefined : given.imagePullSerial,
  };
}

/** Arguments are a map up to v1beta3 and a list of names and values after it. Their order does not count. */
export function argumentsOf(given: readonly Argument[], version: KubeadmApiVersion): YamlValue {
  const sorted = sortedFields(Object.fromEntries(given.map(({ name, value }) => [name, value])));
  if (version === "v1beta3") return sorted;
  return Object.entries(sorted).map(([name, value]) => ({ name, value }));
}

interface Argument {
  readonly name: string;
  readonly value: string;
}

/** The timeouts of `kubeadm init` and `kubeadm join`; the older kubeadm has two of them, in other places. */
export function timeoutsDocument(
  given: JoinConfiguration["timeouts"],
  version: KubeadmApiVersion,
): YamlValue | undefined {
  if (!given || version === "v1beta3") return undefined;
  return {
    controlPlaneComponentHealthCheck: secondsText(given.controlPlaneComponentHealthCheckSeconds),
    kubeletHealthCheck: secondsText(given.kubeletHealthCheckSeconds),
    kubernetesAPICall: secondsText(given.kubernetesAPICallSeconds),
    etcdAPICall: secondsText(given.etcdAPICallSeconds),
    tlsBootstrap: secondsText(given.tlsBootstrapSeconds),
    discovery: secondsText(given.discoverySeconds),
  };
}

/** A number of seconds as kubeadm reads it. */
export function secondsText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : formatDuration(seconds * 1000);
}
