import type { AdmissionRequest, CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import type { AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus } from "./schema.ts";

type Spec = Frozen<AzureManagedControlPlaneSpec>;

interface Doubt {
  readonly isRaisedBy: (spec: Spec) => boolean;
  readonly warning: string;
}

// What AKS itself refuses is only warned about: AKS may allow it one day, and its own answer is in the condition.
const DOUBTS: readonly Doubt[] = [
  {
    isRaisedBy: ({ apiServerAccessProfile: access }) =>
      Boolean(access?.privateDNSZone) && access?.enablePrivateCluster !== true,
    warning: "spec.apiServerAccessProfile.privateDNSZone has an effect only with enablePrivateCluster: true",
  },
  {
    isRaisedBy: ({ apiServerAccessProfile: access }) =>
      access?.enablePrivateCluster === true && (access.authorizedIPRanges ?? []).length > 0,
    warning:
      "spec.apiServerAccessProfile.authorizedIPRanges: AKS refuses ranges on a private cluster; leave one of the two out",
  },
  {
    isRaisedBy: ({ securityProfile, identity }) =>
      securityProfile?.azureKeyVaultKms?.["enabled"] === true && identity?.type !== "UserAssigned",
    warning: "spec.securityProfile.azureKeyVaultKms: AKS wants identity.type UserAssigned for it",
  },
  {
    isRaisedBy: ({ securityProfile }) => {
      const { keyVaultNetworkAccess, keyVaultResourceID } = securityProfile?.azureKeyVaultKms ?? {};
      return keyVaultNetworkAccess === "Private" && !keyVaultResourceID;
    },
    warning:
      "spec.securityProfile.azureKeyVaultKms.keyVaultResourceID: AKS wants it with keyVaultNetworkAccess Private",
  },
  {
    isRaisedBy: ({ networkDataplane, networkPlugin = "azure" }) =>
      networkDataplane === "cilium" && networkPlugin !== "azure",
    warning: "spec.networkDataplane cilium: AKS wants networkPlugin azure for it",
  },
];

/** Warns about what AKS will probably refuse. */
export function azureManagedControlPlaneWarnings({
  object: { spec },
}: AdmissionRequest<
  CustomObject<AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus>
>): readonly string[] {
  return DOUBTS.filter(({ isRaisedBy }) => isRaisedBy(spec)).map(({ warning }) => warning);
}
