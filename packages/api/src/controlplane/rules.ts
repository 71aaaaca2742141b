/** Rules for control planes, beyond their schema. */
import { kubeadmConfigSpecErrors } from "../bootstrap/kubeadm-config-rules.ts";
import { deletionErrors, namingErrors, taintErrors } from "../cluster/machine-rules.ts";
import { versionErrors } from "../values/value-errors.ts";
import { FALLBACK_ONLY_IN_PLACE, IN_PLACE_STRATEGIES } from "../cluster/in-place-strategy.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { templateMetadataErrors } from "../kubernetes/template-metadata.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";
import { compareVersions, minorSkew, parseVersion, type Version } from "../values/version.ts";
import type { KubeadmControlPlaneSpec } from "./v1beta2/kubeadm-control-plane.ts";

type Spec = Frozen<KubeadmControlPlaneSpec>;

/** Validates a control plane. */
export function controlPlaneErrors(spec: Spec): FieldError[] {
  const { machineTemplate, kubeadmConfigSpec = {} } = spec;
  return [
    ...replicaErrors(spec),
    ...versionErrors("spec.version", spec.version),
    ...templateMetadataErrors("spec.machineTemplate.metadata", machineTemplate.metadata),
    ...deletionErrors("spec.machineTemplate.spec.deletion", machineTemplate.spec.deletion),
    ...taintErrors("spec.machineTemplate.spec.taints", machineTemplate.spec.taints),
    ...strategyErrors(spec),
    ...certificateErrors(spec),
    ...namingErrors("spec.machineNaming.template", spec.machineNaming?.template),
    ...imageTagErrors(spec),
    ...kubeadmConfigSpecErrors("spec.kubeadmConfigSpec", kubeadmConfigSpec),
  ];
}

// kubeadm applies these only at the first `init`: a later change would make the spec differ from the cluster.
const FIXED_FIELDS = ["caCertificateValidityPeriodDays", "certificatesDir", "controlPlaneEndpoint"] as const;

/** A control plane before a change. */
interface OldControlPlane {
  readonly spec: Spec;
  /** The lowest version of its machines; none before the first one. */
  readonly status?: Frozen<{ version?: string }>;
}

/** Refuses changes of a control plane that are not allowed. */
export function controlPlaneUpdateErrors(spec: Spec, old: OldControlPlane): FieldError[] {
  const field = "spec.kubeadmConfigSpec.clusterConfiguration";
  const now = spec.kubeadmConfigSpec?.clusterConfiguration;
  const before = old.spec.kubeadmConfigSpec?.clusterConfiguration;
  const changed = FIXED_FIELDS.filter((name) => !deepEqual(now?.[name], before?.[name]));
  const etcdMoved = (now?.etcd?.external === undefined) !== (before?.etcd?.external === undefined);
  return [
    ...changed.map((name) => forbidden(`${field}.${name}`, fixedProblem(before?.[name]))),
    ...(etcdMoved
      ? [
          forbidden(
            `${field}.etcd.external`,
            "cannot change between external and local etcd, because the data would stay behind; create another cluster",
          ),
        ]
      : []),
    ...versionChangeErrors(spec.version, old),
  ];
}

function fixedProblem(before: unknown): string {
  const remedy = before === undefined ? "leave it out" : `keep ${JSON.stringify(before)}`;
  return `cannot be modified, because kubeadm applies it only when it initializes the cluster; ${remedy}, or create another cluster`;
}

/** Warns about settings of a control plane that are valid but probably a mistake. */
export function controlPlaneWarnings(spec: Spec): string[] {
  return [...fallbackWarnings(spec), ...rolloutAfterWarnings(spec)];
}

function rolloutAfterWarnings({ rollout: { after, strategy } = {} }: Spec): string[] {
  const { type = "", fallbackRollingUpdate } = strategy ?? {};
  if (after === undefined || fallbackRollingUpdate || !IN_PLACE_STRATEGIES.includes(type)) return [];
  return [
    "spec.rollout.after: no updater makes new machines, so updates in place wait for it; leave it out, or set spec.rollout.strategy.fallbackRollingUpdate",
  ];
}

function fallbackWarnings({ replicas, rollout }: Spec): string[] {
  if ((replicas ?? 1) > 1 || !rollout?.strategy?.fallbackRollingUpdate) return [];
  return [
    "spec.rollout.strategy.fallbackRollingUpdate: a control plane with one machine is replaced when its updaters cannot make all changes; leave the fallback out to keep the machine",
  ];
}

function replicaErrors(spec: Spec): FieldError[] {
  const replicas = spec.replicas ?? 1;
  if (replicas <= 0) return [forbidden("spec.replicas", "cannot be less than or equal to 0")];
  const stacked = spec.kubeadmConfigSpec?.clusterConfiguration?.etcd?.external === undefined;
  return stacked && replicas % 2 === 0
    ? [
        forbidden(
          "spec.replicas",
          `cannot be an even number when etcd is stacked; it was ${replicas}, which tolerates no more failures than ${replicas - 1}; use ${replicas - 1} or ${replicas + 1}`,
        ),
      ]
    : [];
}

function strategyErrors({ rollout, replicas }: Spec): FieldError[] {
  const field = "spec.rollout.strategy";
  const { type = "RollingUpdate", rollingUpdate, fallbackRollingUpdate } = rollout?.strategy ?? {};
  const uselessFallback = fallbackRollingUpdate && !IN_PLACE_STRATEGIES.includes(type);
  return [
    ...surgeErrors(`${field}.rollingUpdate.maxSurge`, rollingUpdate?.maxSurge, replicas),
    ...surgeErrors(`${field}.fallbackRollingUpdate.maxSurge`, fallbackRollingUpdate?.maxSurge, replicas),
    ...(uselessFallback ? [forbidden(`${field}.fallbackRollingUpdate`, FALLBACK_ONLY_IN_PLACE.message)] : []),
  ];
}

function surgeErrors(field: string, maxSurge: number | string | undefined, replicas = 1): FieldError[] {
  const surge = maxSurge === undefined ? 1 : Number(maxSurge);
  if (surge !== 0 && surge !== 1) return [invalid(field, maxSurge, "value must be 1 or 0")];
  return surge === 0 && replicas < 3
    ? [invalid(field, maxSurge, "0 takes a machine away first, which needs spec.replicas to be at least 3")]
    : [];
}

const DEFAULT_CA_DAYS = 3650;

function certificateErrors({ kubeadmConfigSpec, rollout }: Spec): FieldError[] {
  const field = "spec.kubeadmConfigSpec.clusterConfiguration.certificateValidityPeriodDays";
  const { certificateValidityPeriodDays: days, caCertificateValidityPeriodDays: caDays = DEFAULT_CA_DAYS } =
    kubeadmConfigSpec?.clusterConfiguration ?? {};
  const before = rollout?.before?.certificatesExpiryDays;
  if (days === undefined) return [];
  return [
    ...(days > caDays
      ? [invalid(field, days, `must not exceed caCertificateValidityPeriodDays, ${caDays}`)]
      : []),
    ...(before !== undefined && before >= days
      ? [
          invalid(
            "spec.rollout.before.certificatesExpiryDays",
            before,
            `must be less than certificateValidityPeriodDays, ${days}`,
          ),
        ]
      : []),
  ];
}

const IMAGE_TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

function imageTagErrors({ kubeadmConfigSpec }: Spec): FieldError[] {
  const field = "spec.kubeadmConfigSpec.clusterConfiguration";
  const configuration = kubeadmConfigSpec?.clusterConfiguration;
  const tags = [
    { path: `${field}.dns.imageTag`, tag: configuration?.dns?.imageTag },
    { path: `${field}.etcd.local.imageTag`, tag: configuration?.etcd?.local?.imageTag },
  ];
  return tags.flatMap(({ path, tag }) =>
    tag === undefined || IMAGE_TAG.test(tag)
      ? []
      : [invalid(path, tag, "must be an image tag, such as v1.11.3")],
  );
}

/**
 * Machines of two minor versions run side by side during a rollout, so the lowest version of the machines counts, not only
 * that of the spec: going back to it is as safe as the rollout was, and going further must not leave it two minors behind.
 */
function versionChangeErrors(version: string, { spec, status }: OldControlPlane): FieldError[] {
  const to = parseVersion(version);
  const from = lowestOf([spec.version, status?.version]);
  if (version === spec.version || !to || !from) return [];
  const change = `from ${from.text} to ${version}`;
  // Without a machine, nothing of the newer version is stored.
  if (isLowerMinor(to, from.version))
    return status?.version === undefined ? [] : [downgradeError(change, to, from.version)];
  return isNextMinor(to, from.version) ? [] : [skippedError(change, to, from.version)];
}

/** Whether a version has the same minor version, or the next one. */
function isNextMinor(to: Version, from: Version): boolean {
  const skew = minorSkew(to, from);
  return skew !== undefined && skew <= 1;
}

function isLowerMinor(a: Version, b: Version): boolean {
  return a.major === b.major ? a.minor < b.minor : a.major < b.major;
}

function skippedError(change: string, to: Version, { major, minor }: Version): FieldError {
  const remedy = to.major === major ? `; upgrade all machines to v${major}.${minor + 1} first` : "";
  const rule = `cannot update Kubernetes version ${change}: one minor version at a time${remedy}`;
  return forbidden("spec.version", rule);
}

function downgradeError(change: string, to: Version, from: Version): FieldError {
  const minorOf = ({ major, minor }: Version): string => `v${major}.${minor}`;
  const why = `all machines run ${minorOf(from)}, and ${minorOf(to)} may not read what they have stored in etcd`;
  const remedy = `choose a version of ${minorOf(from)}, or restore a backup into a new cluster`;
  return forbidden("spec.version", `cannot downgrade Kubernetes ${change}: ${why}; ${remedy}`);
}

function lowestOf(
  texts: readonly (string | undefined)[],
): { readonly text: string; readonly version: Version } | undefined {
  const versions = texts.flatMap((text = "") => {
    const version = parseVersion(text);
    return version ? [{ text, version }] : [];
  });
  return versions.toSorted((a, b) => compareVersions(a.version, b.version))[0];
}
