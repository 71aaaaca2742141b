import { compareVersions, minorSkew, parseVersion } from "@capstan/api";

/** Another Kubernetes version for machines that exist. */
export interface VersionChange {
  /** Undefined for machines that do not exist yet. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** The version that the control plane has or gets; undefined if it is not known. */
  readonly controlPlane: string | undefined;
  /** Whether kubeadm lets new machines join. */
  readonly usesKubeadm: boolean;
}

/** What a reader should know about a change of the version. */
export interface VersionFinding {
  /** New machines could not become Nodes. */
  readonly isBlocking: boolean;
  readonly why: string;
}

/** What speaks against a change of the Kubernetes version of workers. */
export function versionFindings({
  from,
  to,
  controlPlane,
  usesKubeadm,
}: VersionChange): readonly VersionFinding[] {
  const desired = parseVersion(to ?? "");
  if (!desired) return [];
  const before = parseVersion(from ?? "");
  const server = parseVersion(controlPlane ?? "");
  const findings: VersionFinding[] = [];
  if (server && (minorSkew(desired, server) ?? 0) > 0) {
    const outcome = usesKubeadm ? "kubeadm does not let them join" : "Kubernetes does not support them";
    const why = `machines of ${to} are newer than the control plane, which has ${controlPlane}: ${outcome}; upgrade the control plane first`;
    findings.push({ isBlocking: usesKubeadm, why });
  }
  if (before && compareVersions(desired, before) < 0)
    findings.push({ isBlocking: false, why: `the kubelets go back from ${from} to ${to}` });
  if (before && (minorSkew(desired, before) ?? 0) > 1)
    findings.push({ isBlocking: false, why: `the kubelets go from ${from} to ${to}, over a minor version` });
  if (from !== to)
    findings.push({
      isBlocking: false,
      why: `not checked: whether there is an image of ${to} for the machines`,
    });
  return findings;
}
