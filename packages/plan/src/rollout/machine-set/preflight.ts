import { compareVersions, minorSkew, parseVersion, type Version } from "@capstan/api";

/** The facts that decide whether new machines would be able to join their cluster. */
export interface PreflightView {
  /** The version of new machines; undefined if their template names none. */
  readonly version: string | undefined;
  /** Whether kubeadm lets new machines join. */
  readonly usesKubeadm: boolean;
  /** The control plane, if its kind has versions. */
  readonly controlPlane: { readonly desired: string; readonly actual: string | undefined } | undefined;
  /** The checks that a user has switched off, by name; "All" for all of them. */
  readonly skipped: readonly string[];
}

type Check = (versions: Versions) => string | undefined;

interface Versions {
  readonly machines: Version | undefined;
  readonly desired: Version;
  readonly actual: Version | undefined;
  readonly usesKubeadm: boolean;
  readonly view: PreflightView;
}

// How many minor versions a kubelet may be older than the API server.
const MOST_SKEW = 3;

/** Cluster API's checks, by the names in its annotation. */
const CHECKS: Readonly<Record<string, Check>> = {
  ControlPlaneIsStable: ({ desired, actual, view: { controlPlane } }) => {
    if (!actual) return "the control plane is being created";
    return compareVersions(actual, desired) < 0
      ? `the control plane is being upgraded from ${controlPlane?.actual} to ${controlPlane?.desired}`
      : undefined;
  },
  KubernetesVersionSkew: ({ machines, desired, view: { version, controlPlane } }) => {
    if (!machines) return undefined;
    if ((minorSkew(machines, desired) ?? 0) > 0)
      return `machines of ${version} are newer than the control plane, which has ${controlPlane?.desired}`;
    return (minorSkew(desired, machines) ?? 0) > MOST_SKEW
      ? `machines of ${version} are more than ${MOST_SKEW} minor versions older than the control plane, which has ${controlPlane?.desired}`
      : undefined;
  },
  KubeadmVersionSkew: ({ machines, desired, usesKubeadm, view: { version, controlPlane } }) =>
    usesKubeadm && machines && minorSkew(machines, desired) !== 0
      ? `kubeadm of ${version} cannot join a control plane of ${controlPlane?.desired}: the minor versions differ`
      : undefined,
};

/** Why no machine must be created now: it could not join, or only to be replaced soon. */
export function failedPreflight(view: PreflightView): readonly string[] {
  const { controlPlane, version, usesKubeadm, skipped } = view;
  const desired = parseVersion(controlPlane?.desired ?? "");
  if (!controlPlane || !desired || skipped.includes("All")) return [];
  const versions: Versions = {
    machines: parseVersion(version ?? ""),
    desired,
    actual: parseVersion(controlPlane.actual ?? ""),
    usesKubeadm,
    view,
  };
  return Object.entries(CHECKS)
    .filter(([name]) => !skipped.includes(name))
    .flatMap(([name, check]) => {
      const why = check(versions);
      return why === undefined ? [] : [`${why} (${name})`];
    });
}
