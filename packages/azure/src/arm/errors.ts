import { isJsonObject } from "@capstan/api";
import { AzureError, type AzureErrorClass, type AzureErrorDetail, type AzureErrorFacts } from "../port.ts";

/** The one table of Azure's error codes and their classes. */
const CLASSES: Readonly<Record<string, AzureErrorClass>> = {
  TooManyRequests: "Throttled",
  SubscriptionRequestsThrottled: "Throttled", // ARM's front door; the others are the providers'
  ResourceRequestsThrottled: "Throttled",
  RetryableErrorDueToAnotherOperation: "Throttled", // Network has locked the parent; it sends a Retry-After

  Conflict: "Conflict",
  AnotherOperationInProgress: "Conflict",
  OperationNotAllowed: "Conflict", // busy or being deleted; other meanings are in its details
  EtagMismatch: "Precondition", // AKS answers 409 where the others say 412
  OriginalEtagNotExpect: "Precondition", // likewise
  PreconditionFailed: "Precondition",
  ResourceGroupBeingDeleted: "Conflict", // passes when the group is gone
  InUseSubnetCannotBeDeleted: "Conflict", // passes when what uses it is gone
  PublicIPAddressCannotBeDeleted: "Conflict", // likewise
  NicInUse: "Conflict", // likewise
  InUseNetworkSecurityGroupCannotBeDeleted: "Conflict", // likewise
  InUseRouteTableCannotBeDeleted: "Conflict", // likewise
  InUseNatGatewayCannotBeDeleted: "Conflict", // likewise
  LoadBalancerInUseByVirtualMachineScaleSet: "Conflict", // likewise
  BackendAddressPoolInUse: "Conflict", // likewise
  NetworkSecurityGroupCannotBeDeleted: "Conflict", // likewise
  ParentResourceIsInFailedState: "Conflict", // passes when the parent is repaired
  ReferencedResourceNotProvisioned: "Conflict", // passes when the other resource is ready
  ScopeLocked: "Terminal", // a user has locked it and must remove the lock

  OperationPreempted: "Preempted", // a newer operation on the same resource took its place

  InternalServerError: "Transient",
  InternalExecutionError: "Transient",
  InternalOperationError: "Transient",
  NetworkingInternalOperationError: "Transient",
  GetVnetError: "Transient", // Compute could not reach Network
  ServiceUnavailable: "Transient",
  ServerTimeout: "Transient",
  GatewayTimeout: "Transient",
  OperationTimedOut: "Transient",
  MissingSubscriptionRegistration: "Transient", // passes as soon as the provider is registered

  AllocationFailed: "Capacity",
  ZonalAllocationFailed: "Capacity",
  OverconstrainedAllocationRequest: "Capacity",
  OverconstrainedZonalAllocationRequest: "Capacity",
  SkuNotAvailable: "Capacity", // restrictions of a region come and go; only spot ever says so for sure
  SpotPriceGreaterThanProvidedMaxPrice: "Capacity", // prices fall again

  QuotaExceeded: "Quota",
  ResourceQuotaExceeded: "Quota",
  SubnetIsFull: "Quota",
  PublicIPCountLimitReached: "Quota",
  ResourceCountExceedsLimit: "Quota",

  OSProvisioningTimedOut: "Guest",
  OSProvisioningClientError: "Guest",
  OSProvisioningInternalError: "Guest",
  VMExtensionProvisioningError: "Guest",
  VMExtensionProvisioningTimeout: "Guest",
  VMExtensionHandlerNonTransientError: "Guest",
  VMAgentStatusCommunicationError: "Guest", // the agent in the machine never reported

  InvalidParameter: "Terminal",
  InvalidTemplate: "Terminal",
  InvalidRequestContent: "Terminal",
  InvalidRequestFormat: "Terminal",
  InvalidResourceType: "Terminal",
  InvalidResourceNamespace: "Terminal",
  InvalidApiVersionParameter: "Terminal",
  MissingApiVersionParameter: "Terminal",
  NoRegisteredProviderFound: "Terminal", // no such api-version or location for the type
  BadRequest: "Terminal",
  LinkedInvalidPropertyId: "Terminal", // names an impossible resource
  InvalidResourceReference: "Terminal",
  InvalidAddressPrefixFormat: "Terminal",
  LocationNotAvailableForResourceType: "Terminal",
  LocationNotAvailableForResourceGroup: "Terminal",
  InvalidResourceGroup: "Terminal",
  NetcfgInvalidSubnet: "Terminal",
  NetcfgSubnetRangesOverlap: "Terminal",
  SecurityRuleConflict: "Terminal",
  SecurityRuleInvalid: "Terminal",
  PropertyChangeNotAllowed: "Terminal",
  ImageNotFound: "Terminal", // a 404 about the spec, not about the resource
  GalleryImageNotFound: "Terminal", // likewise
  PlatformImageNotFound: "Terminal", // likewise
  RequestDisallowedByPolicy: "Terminal",
  MarketplacePurchaseEligibilityFailed: "Terminal",
  SubscriptionNotFound: "Terminal", // no such subscription in this tenant
  InvalidSubscriptionId: "Terminal",

  InvalidAuthenticationToken: "Auth",
  InvalidAuthenticationTokenTenant: "Auth",
  ExpiredAuthenticationToken: "Auth",
  AuthenticationFailed: "Auth",
  AuthorizationFailed: "Auth", // role assignments take minutes to spread
  LinkedAuthorizationFailed: "Auth",
  ReadOnlyDisabledSubscription: "Auth", // an operator enables it again

  ResourceNotFound: "Gone",
  ResourceGroupNotFound: "Gone",
  ParentResourceNotFound: "Gone",
  NotFound: "Gone",
  OperationNotFound: "Gone", // Azure forgets operations after a day or so
};

/** Codes not in the table go by the status of the answer. */
const STATUS_CLASSES: Readonly<Record<number, AzureErrorClass>> = {
  401: "Auth",
  403: "Auth",
  404: "Gone",
  405: "Terminal", // the type does not offer this verb
  409: "Conflict",
  412: "Precondition",
  413: "Terminal", // the body is too large
  415: "Terminal", // the body is not JSON
  429: "Throttled",
};

/** Vague codes: the first of their details that is in the table determines the class. */
const VAGUE: ReadonlySet<string> = new Set([
  "OperationNotAllowed",
  "BadRequest",
  "Conflict",
  "InvalidParameter",
  "DeploymentFailed",
  "ResourceDeploymentFailure",
  "ResourceOperationFailure",
]);

/** An error in one of Azure's two formats. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details: readonly AzureErrorDetail[];
}

/** The parts of the answer besides its body. */
export type ErrorContext = Pick<AzureErrorFacts, "status" | "requestId" | "correlationId" | "retryAfterMs">;

/** Classifies an error body. */
export function azureErrorOf(body: ErrorBody, context: ErrorContext = {}): AzureError {
  return new AzureError({
    ...context,
    ...body,
    class: classOf(body, context.status),
    // A gateway that gave up does not know the result of the request.
    isOutcomeUnknown: (context.status ?? 0) >= 500 || context.status === 408,
  });
}

function classOf({ code, message, details }: ErrorBody, status: number | undefined): AzureErrorClass {
  if (status === 429) return "Throttled";
  if (VAGUE.has(code)) {
    const reported = details.find((detail) => CLASSES[detail.code] !== undefined && !VAGUE.has(detail.code));
    if (reported) return CLASSES[reported.code] ?? "Transient";
    // Compute sometimes omits the details; then only the message distinguishes a quota from a busy resource.
    if (/exceeding (the )?approved .*quota/i.test(message)) return "Quota";
  }
  return CLASSES[code] ?? STATUS_CLASSES[status ?? 0] ?? "Transient";
}

/** Parses an error from an answer: wrapped in `error` or bare. Any other body becomes the message. */
export function parseErrorBody(body: unknown, status: number): ErrorBody {
  const outer = isJsonObject(body) ? body : {};
  const inner = isJsonObject(outer["error"]) ? outer["error"] : outer;
  const code = textOf(inner["code"]);
  if (code === undefined) {
    const shown = typeof body === "string" ? body.trim().slice(0, LONGEST_TEXT) : "";
    return {
      code: `HTTP${status}`,
      message: shown || `Azure answered ${status} without a reason`,
      details: [],
    };
  }
  const target = textOf(inner["target"]);
  return {
    code,
    message: textOf(inner["message"]) ?? code,
    ...(target !== undefined && { target }),
    details: detailsOf(inner, DEEPEST_DETAIL).slice(0, MOST_DETAILS),
  };
}

// Error pages of proxies are long; their beginning is enough.
const LONGEST_TEXT = 500;
// Deployments nest three levels; deeper ones repeat themselves.
const DEEPEST_DETAIL = 5;
// One detail for each failed instance is common; more than these are not useful.
const MOST_DETAILS = 20;

function detailsOf(error: Readonly<Record<string, unknown>>, depth: number): readonly AzureErrorDetail[] {
  if (depth === 0 || !Array.isArray(error["details"])) return [];
  return error["details"].filter(isJsonObject).flatMap((detail) => {
    const target = textOf(detail["target"]);
    const own: AzureErrorDetail = {
      code: textOf(detail["code"]) ?? "",
      message: textOf(detail["message"]) ?? "",
      ...(target !== undefined && { target }),
    };
    return [own, ...detailsOf(detail, depth - 1)];
  });
}

const FAILED_STATE = /^ProvisioningState\/failed\/(.+)$/i;

/** The error in the statuses of an instance view; undefined when there is none. */
export function instanceErrorOf(statuses: readonly unknown[]): AzureError | undefined {
  for (const status of statuses.filter(isJsonObject)) {
    const code = FAILED_STATE.exec(textOf(status["code"]) ?? "")?.[1];
    if (code !== undefined) {
      return azureErrorOf({ code, message: textOf(status["message"]) ?? code, details: [] });
    }
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
