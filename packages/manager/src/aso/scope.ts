import type { AsoObject } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Context, Editable } from "@capstan/runtime";
import type { Arm, JsonObject } from "../azure/port.ts";
import type { AzureClientPorts } from "../azure-cluster/arm-client.ts";
import type { AsoReady } from "./conditions.ts";
import type { AsoResourceType } from "./resource-types.ts";

/** What the embedded Azure Service Operator works with. */
export interface AsoPorts extends Pick<AzureClientPorts, "defaultArm" | "defaultSubscriptionID"> {
  readonly clock: Clock;
}

/** What `serviceoperator.azure.com/reconcile-policy` says. */
export type ReconcilePolicy = "manage" | "skip" | "detach-on-delete";

/** One pass over one object. */
export interface Scope {
  readonly context: Context<AsoObject>;
  readonly object: Editable<AsoObject>;
  readonly type: AsoResourceType;
  readonly arm: Arm;
  readonly subscriptionID: string;
  readonly policy: ReconcilePolicy;
  /** The api-versions by the UID and generation of the object: the cache does not keep who wrote it in which version. */
  readonly apiVersions: Map<string, string>;
  /** The api-version of calls to ARM. */
  apiVersion?: string;
  /** Credentials that this process has written, by the UID and generation of the object. */
  readonly published: Set<string>;
  /** The resource in Azure, as far as it is known. */
  actual?: JsonObject;
  ready?: AsoReady;
}

const PREFIX = "serviceoperator.azure.com/";

/** The annotation that says whether the operator may write to Azure. */
export const POLICY_ANNOTATION = `${PREFIX}reconcile-policy`;
/** The annotation with the ARM id: once it is set, the resource may exist. */
export const RESOURCE_ID_ANNOTATION = `${PREFIX}resource-id`;
/** The annotation with the address of the operation that runs. */
export const POLLER_ANNOTATION = `${PREFIX}poller-resume-token`;
/** The annotation with the hash of the body of the last PUT. Azure Service Operator sends each body again instead. */
export const APPLIED_ANNOTATION = "capstan.dev/applied-body";

/** An annotation of the object. */
export function annotation({ object }: Pick<Scope, "object">, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}

/** Sets an annotation; undefined removes it. */
export function annotate({ object }: Pick<Scope, "object">, name: string, value: string | undefined): void {
  const { [name]: _, ...rest } = object.metadata.annotations ?? {};
  object.metadata.annotations = value === undefined ? rest : { ...rest, [name]: value };
}
