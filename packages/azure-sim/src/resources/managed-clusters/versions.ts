import { ArmError } from "../../arm/errors.ts";

/** The versions of Kubernetes that AKS offers unless the settings name others. */
export const DEFAULT_KUBERNETES_VERSIONS: readonly string[] = [
  "1.31.2",
  "1.31.11",
  "1.32.0",
  "1.32.7",
  "1.33.0",
  "1.33.5",
  "1.34.0",
  "1.34.1",
  "1.35.0",
];

/** How many minor versions a node pool may be behind its control plane. */
const MOST_MINORS_BEHIND = 3;

type Version = readonly [major: number, minor: number, patch: number];

/** The exact version that AKS installs for `1.33` (its newest patch) or `1.33.5`. Throws AKS's refusal for any other. */
export function offeredVersion(offered: readonly string[], wanted: string | undefined): string {
  const sorted = offered.toSorted(compareVersions);
  // AKS's default is the minor version before the newest.
  const newestMinor = minorOf(sorted.at(-1) ?? "");
  const asked = wanted ?? sorted.findLast((one) => minorOf(one) < newestMinor) ?? sorted.at(-1) ?? "";
  const isMinor = /^\d+\.\d+$/.test(asked);
  const found = sorted.findLast((one) => (isMinor ? one.startsWith(`${asked}.`) : one === asked));
  if (found !== undefined) return found;
  throw new ArmError(400, {
    code: "K8sVersionNotSupported",
    message: `Managed cluster version ${asked} is not supported in this region. Please use [az aks get-versions] to get the supported version list: ${sorted.join(", ")}. For more information, please check https://aka.ms/supported-version-list`,
    target: "properties.kubernetesVersion",
  });
}

/** Refuses what AKS refuses: an older version, and one that skips a minor version. */
export function checkUpgrade(from: string, to: string, what: string): void {
  if (compareVersions(to, from) < 0) {
    throw new ArmError(400, {
      code: "OperationNotAllowed",
      message: `Downgrading ${what} from Kubernetes version ${from} to ${to} is not allowed.`,
    });
  }
  if (minorOf(to) > minorOf(from) + 1) {
    throw new ArmError(400, {
      code: "OperationNotAllowed",
      message: `Upgrading ${what} from Kubernetes version ${from} to ${to} is not allowed: an upgrade cannot skip a minor version. See https://aka.ms/aks-cluster-upgrade`,
    });
  }
}

/** Refuses a node pool that is newer than the control plane, or much older. */
export function checkSkew(pool: string, poolVersion: string, controlPlane: string): void {
  const behind = minorOf(controlPlane) - minorOf(poolVersion);
  if (compareVersions(poolVersion, controlPlane) <= 0 && behind <= MOST_MINORS_BEHIND) return;
  throw new ArmError(400, {
    code: "NodePoolMcVersionIncompatible",
    message: `Node pool version ${poolVersion} and control plane version ${controlPlane} are incompatible. Minor version of node pool '${pool}' cannot be more than ${MOST_MINORS_BEHIND} versions less than control plane's version, and its version cannot be greater. For more information, please check https://aka.ms/aks/UpgradeVersionRules`,
    target: "properties.orchestratorVersion",
  });
}

/** Orders versions such as 1.33.5. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function minorOf(version: string): number {
  return partsOf(version)[1];
}

function partsOf(version: string): Version {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [major, minor, patch];
}
