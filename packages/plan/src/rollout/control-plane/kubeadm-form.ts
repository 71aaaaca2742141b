import {
  deepCopy,
  deepEqual,
  type Frozen,
  isJsonObject,
  type KubeadmConfig,
  parseVersion,
} from "@capstan/api";

type Spec = KubeadmConfig["spec"];
type Given = Frozen<Spec>;
type Registered = "nodeRegistration" | "patches" | "skipPhases";

const LOCAL_MODE = "ControlPlaneKubeletLocalMode";
// kubeadm has the gate from 1.31 on, and from 1.36 on there is no other mode.
const FIRST_LOCAL_MINOR = 31;
const FIRST_MINOR_WITHOUT_GATE = 36;

/** The KubeadmConfig of the machine that initializes a cluster. */
export function initForm(given: Given, version: string): Spec {
  const { joinConfiguration: _, clusterConfiguration: __, ...rest } = deepCopy(given) as Spec;
  return { ...rest, ...clusterConfiguration(given, version) };
}

/** The KubeadmConfig of every other machine of a control plane. `controlPlane` is what tells the two forms apart. */
export function joinForm(given: Given, version: string): Spec {
  const {
    initConfiguration: _,
    clusterConfiguration: __,
    joinConfiguration = {},
    ...rest
  } = deepCopy(given) as Spec;
  return {
    ...rest,
    ...clusterConfiguration(given, version),
    joinConfiguration: { ...joinConfiguration, controlPlane: joinConfiguration.controlPlane ?? {} },
  };
}

/** The configuration of the cluster; none if nothing is set in it, because v1beta2 forbids an empty one. */
function clusterConfiguration(given: Given, version: string): Pick<Spec, "clusterConfiguration"> {
  const configuration = deepCopy(given.clusterConfiguration ?? {}) as NonNullable<
    Spec["clusterConfiguration"]
  >;
  const featureGates = withLocalMode(configuration.featureGates, version);
  const desired = { ...configuration, ...(featureGates && { featureGates }) };
  return Object.keys(desired).length === 0 ? {} : { clusterConfiguration: desired };
}

/** A kubelet that talks to the API server of its own machine never meets an older one. */
function withLocalMode(
  gates: Record<string, boolean> | undefined,
  version: string,
): Record<string, boolean> | undefined {
  const { minor = 0 } = parseVersion(version) ?? {};
  if (minor < FIRST_LOCAL_MINOR || minor >= FIRST_MINOR_WITHOUT_GATE || gates?.[LOCAL_MODE] !== undefined)
    return gates;
  return { ...gates, [LOCAL_MODE]: true };
}

/**
 * The config of an existing machine with the gate that a newer version implies: a control plane adds it with the version, so
 * it is not a change of its own.
 */
export function withImpliedGate(current: Given, desired: Given): Given {
  const { featureGates } = current.clusterConfiguration ?? {};
  if (desired.clusterConfiguration?.featureGates?.[LOCAL_MODE] !== true) return current;
  if (featureGates?.[LOCAL_MODE] !== undefined) return current;
  const gates = { featureGates: { ...featureGates, [LOCAL_MODE]: true } };
  return { ...current, clusterConfiguration: { ...current.clusterConfiguration, ...gates } };
}

/** The configs of a machine before and after an update, as Cluster API shows them to its extensions. */
export function normalizedConfigs(
  current: Given,
  desired: Given,
): { readonly current: Given; readonly desired: Given } {
  return { current: normalizedConfig(current, desired), desired: normalizedConfig(desired, desired) };
}

/** The join form of a config. What the cluster and kubeadm choose is as in the desired one. */
function normalizedConfig(given: Given, desired: Given): Given {
  const { initConfiguration: __, ...rest } = isInitForm(given) ? asJoin(given) : given;
  const { discovery: _, timeouts: own, ...join } = rest.joinConfiguration ?? {};
  const timeouts = own ?? given.initConfiguration?.timeouts;
  const { controlPlaneEndpoint, dns } = desired.clusterConfiguration ?? {};
  const caCertPath = desired.joinConfiguration?.caCertPath;
  return withoutEmpty({
    ...rest,
    clusterConfiguration: { ...rest.clusterConfiguration, controlPlaneEndpoint, dns },
    joinConfiguration: {
      ...join,
      timeouts: { ...timeouts, controlPlaneComponentHealthCheckSeconds: undefined },
      caCertPath,
    },
  }) as Given;
}

function isInitForm({ initConfiguration, joinConfiguration }: Given): boolean {
  return initConfiguration !== undefined && joinConfiguration?.controlPlane === undefined;
}

function withoutEmpty(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const made = withoutEmpty(item);
    return isEmpty(made) && name !== "taints" ? [] : [[name, made] as const];
  });
  return Object.fromEntries(entries);
}

/** Whether the KubeadmConfig of a machine is what the control plane would create now, in its init or its join form. */
export function isSameConfig(current: Given, given: Given, version: string): boolean {
  const desired = comparable(joinForm(given, version));
  if (deepEqual(comparable(current), desired)) return true;
  if (current.joinConfiguration?.controlPlane !== undefined) return false;
  return (
    deepEqual(comparable(initForm(given, version)), comparable(current)) ||
    deepEqual(comparable(asJoin(current)), desired)
  );
}

/** The init form of a machine, rewritten as if it had joined. */
function asJoin(current: Given): Given {
  const { initConfiguration: init = {}, ...rest } = current;
  const shared = Object.fromEntries(
    (["nodeRegistration", "patches", "skipPhases"] as const satisfies readonly Registered[]).flatMap(
      (field) => (init[field] === undefined ? [] : [[field, init[field]]]),
    ),
  );
  const local = init.localAPIEndpoint;
  return {
    ...rest,
    joinConfiguration: { ...shared, controlPlane: local ? { localAPIEndpoint: local } : {} },
  };
}

/** What the comparison ignores: fields that other controllers fill in, or that have no effect on a running machine. */
function comparable(spec: Given): unknown {
  const { clusterConfiguration: cluster = {}, joinConfiguration: join, format, ...rest } = spec;
  const { controlPlaneEndpoint: _, dns: __, ...clusterRest } = cluster;
  const { discovery: ___, ...joinRest } = join ?? {};
  return compacted({
    ...rest,
    format: format ?? "cloud-config",
    clusterConfiguration: clusterRest,
    ...(join && { joinConfiguration: { ...joinRest, isControlPlane: join.controlPlane !== undefined } }),
  });
}

/** Without empty maps and lists; an empty list of taints differs from none. */
function compacted(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => compacted(item));
    return ARGUMENTS.has(field) ? items.toSorted(byName) : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const made = withDefault(name, compacted(item, name));
    return isEmpty(made) && name !== "taints" ? [] : [[name, made] as const];
  });
  return field === "nodeRegistration" && entries.length === 0 ? undefined : Object.fromEntries(entries);
}

// The order of arguments does not count.
const ARGUMENTS: ReadonlySet<string> = new Set(["extraArgs", "kubeletExtraArgs"]);

function byName(a: unknown, b: unknown): number {
  const [left, right] = [a, b].map((item) => (isJsonObject(item) ? String(item["name"]) : ""));
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

function withDefault(field: string, value: unknown): unknown {
  if (field !== "nodeRegistration" || !isJsonObject(value)) return value;
  const { imagePullPolicy, ...rest } = value;
  // kubeadm's default says nothing.
  return imagePullPolicy === undefined || imagePullPolicy === "IfNotPresent" ? rest : value;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
