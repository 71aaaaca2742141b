import {
  AzureMachinePool,
  AzureMachineTemplate,
  type Frozen,
  parseDuration,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_PIN_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import { again, next, type Outcome, shortHash } from "@capstan/runtime";
import {
  busyBecause,
  decidePin,
  decideStart,
  hasDonor,
  type StartDecision,
  type StartFacts,
} from "@capstan/plan";
import type { AzureScope } from "../gallery/azure-reads.ts";
import { begin } from "./begin.ts";
import { candidatesOf } from "../fleet/candidates.ts";
import { VERIFY_MS } from "../gallery/collect.ts";
import { nodesOf } from "../fleet/donor-node.ts";
import { ANYWHERE, BY_DONOR, poolKeyOf, templateKeyOf } from "../indexes.ts";
import { beginRollback } from "./rollback.ts";
import type { ImageOwner } from "../fleet/fleet.ts";
import { HASH_DIGITS, moveTo, recordOf, type Scope } from "../scope.ts";

const SOON_MS = 60_000;
// The clock of the manager may be set; a day is short enough to notice.
const LONGEST_WAIT_MS = 24 * 3600_000;

/** The reasons of a pool that a user has pinned to a version. */
export const PINNED = "Pinned";
export const PIN_UNKNOWN = "PinUnknown";

/** Waits until a renewal is due, then begins it. */
export async function awaitRenewal(scope: AzureScope): Promise<Outcome> {
  const rollback = scope.owner.metadata.annotations?.[PROTOTYPE_ROLLBACK_ANNOTATION];
  if (rollback !== undefined && rollback !== recordOf(scope).observedRollback)
    return beginRollback(scope, rollback);
  if (!scope.settings) return next;
  const pinned = await holdPinned(scope);
  if (pinned) return pinned;
  const decision = decideStart(await factsOf(scope, scope.settings));
  if (decision.do === "start") return beginIfFree(scope, decision);
  scope.note = { reason: decision.reason, why: decision.why };
  const mostMs = recordOf(scope).bootImage ? VERIFY_MS : LONGEST_WAIT_MS;
  return again(Math.min(decision.afterMs, mostMs), decision.reason);
}

/** Boots new machines from the version that a user has pinned; undefined when there is none. */
async function holdPinned(scope: AzureScope): Promise<Outcome | undefined> {
  const pin = scope.owner.metadata.annotations?.[PROTOTYPE_PIN_ANNOTATION];
  const decision = decidePin(pin, recordOf(scope).history ?? []);
  if (decision.do === "none") return undefined;
  if (decision.do === "rollBack") {
    await moveTo(scope, "RollingBack");
    return again(0, "RollingBack");
  }
  const reason = decision.do === "hold" ? PINNED : PIN_UNKNOWN;
  scope.note = { reason, why: decision.why };
  return again(VERIFY_MS, reason);
}

async function factsOf(scope: AzureScope, settings: NonNullable<Scope["settings"]>): Promise<StartFacts> {
  const { owner, context, fleet } = scope;
  const nodes = await nodesOf(scope);
  const obstacle = fleet.changing() ?? (nodes ? undefined : UNREACHABLE);
  return {
    nowMs: context.env.clock.now(),
    record: recordOf(scope),
    ...timesOf(owner),
    intervalMs: parseDuration(settings.interval),
    window: settings.window,
    trigger: owner.metadata.annotations?.[PROTOTYPE_NOW_ANNOTATION],
    obstacles: obstacle ? [obstacle] : [],
    desired: fleet.desired,
    sizeField: fleet.sizeField,
    candidates: () => (nodes ? candidatesOf(scope, nodes) : []),
    others: othersOf(scope),
  };
}

const UNREACHABLE = { reason: "WorkloadUnreachable", why: "the workload cluster does not answer" };

/** When the image was last renewed, when the pool was created, and where its first renewal lies among those of all pools. */
export function timesOf({
  metadata,
  status,
}: Frozen<ImageOwner>): Pick<StartFacts, "lastImagePrototypeMs" | "poolCreatedMs" | "spreadShare"> {
  const last = status?.lastImagePrototype;
  return {
    lastImagePrototypeMs: last === undefined ? undefined : Date.parse(last),
    poolCreatedMs: Date.parse(metadata.creationTimestamp ?? ""),
    spreadShare: Number.parseInt(shortHash(`${metadata.uid}`, HASH_DIGITS), 16) / 16 ** HASH_DIGITS,
  };
}

/**
 * Claims the cluster for this renewal, and begins it. Passes over other owners run between a decision and the first write of
 * the record, so nothing is awaited between the look and the claim.
 */
function beginIfFree(scope: AzureScope, start: Extract<StartDecision, { do: "start" }>): Promise<Outcome> {
  const { shared, ownerKey, clusterKey } = scope;
  const busy = busyBecause(othersOf(scope));
  scope.note = busy ?? { reason: "Protecting", why: start.why };
  if (busy) return Promise.resolve(again(SOON_MS, busy.reason));
  shared.ports.prototypeClaims.set(ownerKey, clusterKey);
  return begin(scope, start);
}

/** Renewals of other owners that hold a donor: by the cache, and those that this process is about to begin. */
function othersOf({ context, shared, clusterKey, ownerKey }: Scope): StartFacts["others"] {
  const inCache = (value: string): readonly string[] => [
    ...context.cache.list(AzureMachinePool, { index: BY_DONOR, value }).map(poolKeyOf),
    ...context.cache.list(AzureMachineTemplate, { index: BY_DONOR, value }).map(templateKeyOf),
  ];
  const claims = [...shared.ports.prototypeClaims];
  const inCluster = claims.filter(([, claim]) => claim === clusterKey).map(([key]) => key);
  const count = (keys: readonly string[]): number => new Set(keys.filter((key) => key !== ownerKey)).size;
  return {
    inCluster: count([...inCache(clusterKey), ...inCluster]),
    inManager: count([...inCache(ANYWHERE), ...claims.map(([key]) => key)]),
  };
}

/** Releases the claim on the cluster when the cache shows the renewal, or when there is none. */
export function releaseClaim({ shared, ownerKey, owner }: Scope): void {
  if (!hasDonor(owner.status?.nodePrototyping)) shared.ports.prototypeClaims.delete(ownerKey);
}
