import { compareVersions, minorSkew, parseVersion, type Version } from "@capstan/api";

/** Another Kubernetes version for machines that exist. */
export interface VersionChange {
  /** Undefined for machines that do not exist yet. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** The version that the control plane has or gets; undefined if it is not known. */
  readonly controlPlane: string | undefined;
  /** Whether kubeadm lets new machines join. */
  readonly usesKubeadm: boolean;
  /** Whether a preflight check comes before their creation: of MachineSets, not of pools. */
  readonly hasPreflight: boolean;
}

// kubeadm joins a control plane of its own minor version or of the one before.
const KUBEADM_SKEW = 1;

/** What a reader should know about a change of the version. */
export interface VersionFinding {
  /** New machines could not become Nodes. */
  readonly isBlocking: boolean;
  readonly why: string;
}

/** What speaks against a change of the Kubernetes version of workers. */
export function versionFindings(change: VersionChange): readonly VersionFinding[] {
  const { from, to } = change;
  const desired = parseVersion(to ?? "");
  if (!desired) return [];
  const note = (why: string): VersionFinding => ({ isBlocking: false, why });
  return [
    ...newerThanServer(change, desired),
    ...kubeletNotes(from, to).map(note),
    ...(from === to ? [] : [note(`not checked: whether there is an image of ${to} for the machines`)]),
  ];
}

function newerThanServer(
  { to, controlPlane, usesKubeadm, hasPreflight }: VersionChange,
  desired: Version,
): readonly VersionFinding[] {
  const server = parseVersion(controlPlane ?? "");
  const skew = (server && minorSkew(desired, server)) ?? 0;
  if (skew <= 0) return [];
  const isRefused = usesKubeadm && skew > KUBEADM_SKEW;
  const outcome = hasPreflight
    ? "a preflight check holds them"
    : isRefused
      ? "kubeadm does not let them join"
      : "Kubernetes does not support that";
  const why = `machines of ${to} are newer than the control plane, which has ${controlPlane}: ${outcome}; upgrade the control plane first`;
  return [{ isBlocking: hasPreflight || isRefused, why }];
}

/** What a reader should know about the way of the kubelets from one version to another. */
export function kubeletNotes(from: string | undefined, to: string | undefined): readonly string[] {
  const [before, desired] = [parseVersion(from ?? ""), parseVersion(to ?? "")];
  if (!before || !desired) return [];
  if (compareVersions(desired, before) < 0) return [`the kubelets go back from ${from} to ${to}`];
  const isFar = (minorSkew(desired, before) ?? 0) > 1;
  return isFar ? [`the kubelets go from ${from} to ${to}, over a minor version`] : [];
}
