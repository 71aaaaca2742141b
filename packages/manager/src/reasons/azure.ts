import type { ReasonText } from "./reason-text.ts";

/** Reasons of AzureClusters and of the way to Azure. */
export const AZURE_REASONS = {
  AnswerAboutAnotherResource: {
    meaning:
      "An answer of Azure was about another resource than the request, so the controller did not use it.",
    cure: "Nothing: the controller asks again; if it lasts, look for a proxy between the manager and Azure that mixes up answers.",
  },
  AzureUnreachable: {
    meaning: "No connection to Azure Resource Manager came about, or it broke.",
    cure: "Check DNS, proxy and firewall between the manager and Azure; the controller retries.",
  },
  Creating: {
    meaning: "Azure is creating the resource or the VM, or is about to.",
    cure: "Nothing: it passes when Azure is done.",
  },
  EndpointUnknown: {
    meaning: "The frontend of the API server load balancer has neither a DNS name nor an IP address.",
    cure: "For an internal load balancer set `privateIP`; for a public one look why its public IP address in Azure has no address.",
  },
  EntraUnavailable: {
    meaning:
      "Microsoft Entra ID did not answer, or answered with a server error, when the controller asked for a token.",
    cure: "Check the way from the manager to the login endpoint of your cloud; the controller retries.",
  },
  Failed: {
    meaning:
      "Azure failed a change; the message has Azure's own words and the field of the spec that asked for it.",
    cure: "Do what Azure's message asks for; the controller retries by itself, and when the spec changes.",
  },
  FailureDomainUnknown: {
    meaning: "`spec.failureDomains` names a zone that the region does not have.",
    cure: "Remove the zone; the message lists those of the region.",
  },
  ForeignLink: {
    meaning:
      "Azure answered with a link to another host, which the controller does not follow, because it would send its token there.",
    cure: "Look for a proxy that rewrites answers of Azure, and check the cloud environment in the spec.",
  },
  IdentityMissing: {
    meaning: "The AzureCluster has no `spec.identityRef`, and the manager has no credentials of its own.",
    cure: "Create an AzureClusterIdentity and name it in `spec.identityRef`.",
  },
  IdentityNotFound: {
    meaning: "There is no AzureClusterIdentity of the name and namespace in `spec.identityRef`.",
    cure: "Create it, or correct `spec.identityRef`.",
  },
  IdentityNotUsable: {
    meaning:
      "The AzureClusterIdentity has a type that is not supported, or its Secret, certificate or token file is missing or wrong.",
    cure: "Correct what the message names; the controller looks again every minute.",
  },
  InvalidResourceId: {
    meaning: "A name in the spec makes a resource id that Azure could not accept.",
    cure: "Correct the name that is in the path of the message.",
  },
  InvalidSpec: {
    meaning:
      "The spec has a value that is not valid or does not fit the AzureCluster; the message names the field.",
    cure: "Correct the field; machines that run are not touched meanwhile.",
  },
  LocationUnknown: {
    meaning: "Azure offers no machines in the region of `spec.location`.",
    cure: "Create the AzureCluster again with the name of a region, such as westeurope.",
  },
  NamespaceNotAllowedByIdentity: {
    meaning: "The AzureClusterIdentity does not allow clusters of this namespace.",
    cure: "Add the namespace to `spec.allowedNamespaces` of the AzureClusterIdentity, or use another identity.",
  },
  NotSupported: {
    meaning: "The spec asks for something that Capstan does not support yet; the message names the field.",
    cure: "Remove the field, or use what the message suggests.",
  },
  OperationFailed: {
    meaning: "An operation in Azure failed, and Azure does not say why.",
    cure: "Look at the activity log of the resource in Azure; the controller retries.",
  },
  RecordingAppliedTags: {
    meaning: "The controller records in annotations which tags and security rules it is about to write.",
    cure: "Nothing: it passes with the next reconcile, at once.",
  },
  RequestBudgetUsedUp: {
    meaning: "The controller did not send a request, because Azure's rate limit would refuse it.",
    cure: "Nothing: it passes when the limit has room again, after the time in the message.",
  },
  RequestTimedOut: {
    meaning: "Azure did not answer a request in time.",
    cure: "Nothing: the controller finds out what became of the request, and retries.",
  },
  ResourceNotOwned: {
    meaning: "A resource of the wanted name exists and has no ownership tag of this cluster.",
    cure: "Choose another name in the spec, or give the resource the tag in the message to hand it over to this cluster.",
  },
  ResourceUpdated: {
    meaning: "The controller wrote a resource of a cluster that is in use; the message says why.",
    cure: "Nothing, if you changed the spec; otherwise find the client that changes the resource in Azure.",
  },
  SubnetNotFound: {
    meaning: "The virtual network is your own, and lacks a subnet of the spec.",
    cure: "Create the subnet in Azure, or name an existing one in `spec.networkSpec.subnets`.",
  },
  SubscriptionMissing: {
    meaning: "The AzureCluster has no `spec.subscriptionID`, and the manager has no default subscription.",
    cure: "Set `spec.subscriptionID`, or give the manager a default subscription.",
  },
  UnreadableAnswer: {
    meaning: "An answer of Azure was not what its API promises, or far too large.",
    cure: "Look for a proxy between the manager and Azure; the controller finds out what became of the request, and retries.",
  },
  Updating: {
    meaning: "The controller or Azure is changing a resource.",
    cure: "Nothing: it passes when Azure is done.",
  },
  WaitingForAzure: {
    meaning:
      "The controller waits for Azure: a resource is not finished, Azure throttles requests, or it refused the last write.",
    cure: "Nothing if it is short: the controller asks again by itself; if it lasts, read the other conditions for what Azure refused.",
  },
  WaitingForClusterOwner: {
    meaning: "No Cluster names this AzureCluster in `spec.infrastructureRef` yet.",
    cure: "Create the Cluster, or correct its `spec.infrastructureRef`.",
  },
  WaitingForMachinePools: {
    meaning:
      "The AzureCluster is being deleted and waits until the AzureMachinePools in its network are gone.",
    cure: "Nothing if their deletion is under way; otherwise delete the MachinePools in the message.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
