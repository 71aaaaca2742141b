import { type AsoObject, type CustomKind, isJsonObject } from "@capstan/api";
import {
  type Context,
  defineReconciler,
  index,
  on,
  type ObjectName,
  type Reconciler,
} from "@capstan/runtime";
import { withReady } from "./conditions.ts";
import {
  claimId,
  deleteResource,
  findApiVersion,
  pollOperation,
  putResource,
  readResource,
  succeed,
} from "./manage.ts";
import { publishConfigMaps, publishSecrets } from "./published.ts";
import {
  ASO_RESOURCE_TYPES,
  type AsoResourceType,
  POLICY_ANNOTATION,
  type ReconcilePolicy,
} from "@capstan/plan";
import type { AsoPorts, Scope } from "./scope.ts";

// As long as Azure Service Operator's AZURE_SYNC_PERIOD.
const RESYNC_MS = 60 * 60_000;

/** The controllers of the stand-in, one for each kind of Azure Service Operator that Capstan uses. */
export const SERVICE_OPERATOR: readonly {
  readonly name: string;
  readonly kind: CustomKind;
  readonly create: (ports: AsoPorts) => Reconciler;
}[] = ASO_RESOURCE_TYPES.map((type) => ({
  name: `aso-${type.kind.singular}`,
  kind: type.kind,
  create: asoReconciler(type),
}));

/**
 * Stands in for Azure Service Operator in `capstan up` and simulations: reconciles one of its kinds with the simulated
 * Azure, with its conditions, policies, Secrets and finalizer. Unlike the original, a settled resource costs one GET a
 * resync and no PUT.
 */
function asoReconciler(type: AsoResourceType): (ports: AsoPorts) => Reconciler {
  const { kind, ownerKind } = type;
  const byOwner = `aso-owner-of-${kind.plural}`;
  return (ports) => {
    const memory = { published: new Set<string>(), apiVersions: new Map<string, string>() };
    return defineReconciler<AsoObject, Scope>({
      name: `aso-${kind.singular}`,
      for: kind,
      finalizer: "serviceoperator.azure.com/finalizer",
      resyncMs: RESYNC_MS,
      obeysPause: false,
      indexes: [
        index(kind, byOwner, ({ metadata, spec }) =>
          spec.owner?.name ? [`${metadata.namespace}/${spec.owner.name}`] : [],
        ),
      ],
      watches: ownerKind
        ? [
            on(ownerKind, ({ metadata }, cache): readonly ObjectName[] =>
              cache
                .list(kind, { index: byOwner, value: `${metadata.namespace}/${metadata.name}` })
                .filter((object) => !isReady(object))
                .map((object) => object.metadata),
            ),
          ]
        : [],
      scope: (context) => buildScope(ports, type, { context, memory }),
      always: [findApiVersion],
      normal: [claimId, pollOperation, readResource, putResource, publishSecrets, publishConfigMaps, succeed],
      deleting: [deleteResource],
      status: (scope, { claimReady }) => {
        report(scope, ports);
        claimReady();
      },
    });
  };
}

function isReady({
  status,
}: {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}): boolean {
  return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
}

async function buildScope(
  { defaultArm, defaultSubscriptionID = "" }: AsoPorts,
  type: AsoResourceType,
  {
    context,
    memory,
  }: { readonly context: Context<AsoObject>; readonly memory: Pick<Scope, "published" | "apiVersions"> },
): Promise<Scope> {
  if (!defaultArm) throw new TypeError("the embedded Azure Service Operator needs the simulated Azure");
  const { object } = context;
  const policy = object.metadata.annotations?.[POLICY_ANNOTATION];
  return {
    context,
    object,
    type,
    ...memory,
    arm: await defaultArm(`aso-${type.kind.singular}`),
    subscriptionID: defaultSubscriptionID,
    policy:
      policy === "skip" || policy === "detach-on-delete" ? (policy satisfies ReconcilePolicy) : "manage",
  };
}

/** The status: what Azure says about the resource, and the condition. */
function report({ object, actual, ready, context }: Scope, { clock }: AsoPorts): void {
  const { conditions = [], ...before } = object.status ?? {};
  const fields = actual ? statusOf(actual) : before;
  const { generation } = object.metadata;
  const now = { generation, nowMs: clock.now() };
  object.status = {
    ...fields,
    conditions: ready ? withReady(conditions, ready, now) : [...conditions],
  };
  if (ready?.severity === "Error") {
    context.event({ type: "Warning", reason: ready.reason, message: ready.message ?? ready.reason });
  }
}

/** The status has the fields of `properties` beside those of the resource itself. */
function statusOf(actual: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties, etag: _, ...rest } = actual;
  return { ...rest, ...(isJsonObject(properties) ? properties : {}) };
}
