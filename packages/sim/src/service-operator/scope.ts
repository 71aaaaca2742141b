import type { AsoObject, JsonObject } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Context, Editable } from "@capstan/runtime";
import type { Arm } from "@capstan/azure";
import type { AsoResourceType, ReconcilePolicy } from "@capstan/plan";
import type { AsoReady } from "./conditions.ts";

/** What the stand-in for Azure Service Operator works with. */
export interface AsoPorts {
  readonly clock: Clock;
  /** The client of the simulated Azure, with the manager's own credentials. */
  readonly defaultArm?: (controller: string) => Promise<Arm>;
  readonly defaultSubscriptionID?: string;
}

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
