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

// The forms of the values, which AKS's API has had since its first autoscaler profile; their ranges are AKS's to judge.
const MINUTES = { expected: 'a duration in minutes, such as "10m"', form: /^\d+m$/ } as const;
const SECONDS = { expected: 'a duration in seconds, such as "20s"', form: /^\d+s$/ } as const;
const NUMBER = { expected: 'a whole number as text, such as "3"', form: /^\d+$/ } as const;
const AUTOSCALER_FORMS: Readonly<Record<string, { readonly expected: string; readonly form: RegExp }>> = {
  maxEmptyBulkDelete: NUMBER,
  maxGracefulTerminationSec: NUMBER,
  maxTotalUnreadyPercentage: NUMBER,
  okTotalUnreadyCount: NUMBER,
  maxNodeProvisionTime: MINUTES,
  scaleDownDelayAfterAdd: MINUTES,
  scaleDownDelayAfterFailure: MINUTES,
  scaleDownUnneededTime: MINUTES,
  scaleDownUnreadyTime: MINUTES,
  scaleDownDelayAfterDelete: SECONDS,
  scanInterval: SECONDS,
  newPodScaleUpDelay: { expected: 'a duration such as "0s" or "10m"', form: /^\d+[smh]$/ },
  scaleDownUtilizationThreshold: {
    expected: 'a number from 0 to 1 as text, such as "0.5"',
    form: /^(0|1|0?\.\d+|1\.0+)$/,
  },
};

function autoscalerWarnings({ autoscalerProfile = {} }: Spec): readonly string[] {
  return Object.entries(autoscalerProfile).flatMap(([field, value]) => {
    const known = AUTOSCALER_FORMS[field];
    if (known === undefined || (typeof value === "string" && known.form.test(value))) return [];
    return [`spec.autoscalerProfile.${field} ${JSON.stringify(value)}: AKS wants ${known.expected}`];
  });
}

/** Warns about what AKS will probably refuse. */
export function azureManagedControlPlaneWarnings({
  object: { spec },
}: AdmissionRequest<
  CustomObject<AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus>
>): readonly string[] {
  const doubts = DOUBTS.filter(({ isRaisedBy }) => isRaisedBy(spec)).map(({ warning }) => warning);
  return [...doubts, ...autoscalerWarnings(spec)];
}
