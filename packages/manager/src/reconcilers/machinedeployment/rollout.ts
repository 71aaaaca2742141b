import {
  deepEqual,
  type Frozen,
  includes,
  type MachineDeployment,
  MachineSet,
  REVISION_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
} from "@capstan/api";
import { again, deleteIfExists, type EventNote, next, type Outcome, waiting } from "@capstan/runtime";
import {
  type DeploymentAction,
  type DeploymentPlan,
  type DeploymentView,
  planDeployment,
  targetOf,
  updateRecordsOf,
  updateRecordsText,
} from "@capstan/plan";
import { forEach, forEachAlone, perform } from "../../actions/perform.ts";
import { isInPlace } from "../../in-place/strategy.ts";
import { preflightOf } from "../../machines/preflight.ts";
import { requireObject } from "../../machines/clones.ts";
import { DEPLOYMENT_FIELD_MANAGER, recordsIn, recordsOf } from "../../machines/recorded-moves.ts";
import { askAboutSets } from "./in-place/decisions.ts";
import { markMachine } from "./in-place/mark.ts";
import { moveMachine } from "./in-place/move.ts";
import { startedUpdates } from "./in-place/started-updates.ts";
import { revisionOf, setConfiguration, type SetRequest, targetRevision, templatesOf } from "./set-object.ts";
import type { Scope } from "./scope.ts";
import { passedRolloutMs } from "../../machines/rollout-fields.ts";
import { viewOf } from "./view.ts";

/** Creates, scales and deletes MachineSets as the plan says, and keeps their other fields current. */
export async function rollOut(scope: Scope): Promise<Outcome> {
  const nowMs = scope.context.env.clock.now();
  const plan = planDeployment(await observe(scope, nowMs));
  scope.plan = plan;
  await carryOut(scope, plan);
  syncRevision(scope);
  return awaitRolloutAfter(scope, nowMs);
}

/** Actions that need the fields of all sets to be current: the moves of machines are recorded there first. */
type LaterAction = Extract<DeploymentAction, { readonly action: "MoveMachine" | "DeleteMachineSet" }>;

async function carryOut(scope: Scope, plan: DeploymentPlan): Promise<void> {
  const { log } = scope.context;
  const isLater = (one: DeploymentAction): one is LaterAction =>
    one.action === "MoveMachine" || one.action === "DeleteMachineSet";
  const first = plan.actions.filter((one): one is Exclude<DeploymentAction, LaterAction> => !isLater(one));
  await perform(
    first,
    {
      MarkMachine: forEach((action) => markMachine(scope, action)),
      CreateMachineSet: forEach((action) => createSet(scope, action)),
      // The size of a set is written together with its other fields.
      ScaleMachineSet: () => Promise.resolve(next),
    },
    log,
  );
  await updateSets(scope, plan);
  await perform(
    plan.actions.filter(isLater),
    {
      MoveMachine: forEach((action) => moveMachine(scope, action)),
      DeleteMachineSet: forEachAlone((action) => deleteSet(scope, action)),
    },
    log,
  );
}

// A failed preflight check passes when the control plane changes, which not every kind reports by an event.
const PREFLIGHT_MS = 15_000;

/** The facts for the plan. If machines are updated in place, updaters are asked first. */
async function observe(scope: Scope, nowMs: number): Promise<DeploymentView> {
  const { context, deployment, sets, ports } = scope;
  const { namespace } = deployment.metadata;
  const isTaken = (name: string): boolean => context.cache.get(MachineSet, { name, namespace }) !== undefined;
  const machines = [...scope.machines.values()].flat();
  const features = { ...(ports.features && { features: ports.features }) };
  const preflight = await checkPreflight(scope);
  const input = { deployment, sets, isTaken, nowMs, machines, preflight, ...features };
  const view = viewOf(input);
  // While the rollout is paused, the updaters are asked too: `capstan plan` tells what resuming would lead to.
  const isDisabled = view.hold?.reason === "InPlaceUpdatesDisabled";
  if (!ports.updaters || isDisabled || view.inPlace?.isChosen !== true) return view;
  await askAboutSets(scope, ports.updaters, targetOf(view)?.name ?? view.newSetName);
  // A pass that loses a race for a MachineSet reports no status, and its answers would be asked for again.
  await context.persistStatus();
  return viewOf(input);
}

/** An update that needs a newer control plane waits for it, as a new machine does. */
async function checkPreflight({ context, deployment, cluster }: Scope): Promise<readonly string[]> {
  if (!isInPlace(deployment.spec.rollout?.strategy)) return [];
  return preflightOf(context, {
    owner: deployment,
    template: deployment.spec.template.spec,
    cluster,
    isJoining: false,
  });
}

/** An updater that did not answer is asked again, and a preflight check is repeated. */
export function awaitUpdaters({ context, deployment, plan }: Scope): Outcome {
  if (plan?.blocked.some(({ reason }) => reason === "PreflightCheckFailed") === true)
    return again(PREFLIGHT_MS, "PreflightCheckFailed");
  const nowMs = context.env.clock.now();
  const times = (deployment.status?.inPlace?.decisions ?? []).flatMap(({ retryAfter }) =>
    retryAfter === undefined ? [] : [Date.parse(retryAfter)],
  );
  return times.length === 0 ? next : again(Math.max(Math.min(...times) - nowMs, 0), "UpdatersNotAnswering");
}

async function createSet(
  scope: Scope,
  action: DeploymentAction & { action: "CreateMachineSet" },
): Promise<void> {
  const { context, deployment, sets } = scope;
  const { namespace } = deployment.metadata;
  const [name = ""] = action.targets;
  // A set whose templates do not exist could never create a machine, and old machines would be deleted for it.
  for (const pointer of templatesOf(deployment)) await requireObject(context, pointer);
  // The cache may not show a set that a former process has created; to apply it again would reset its replicas.
  if (await context.client.find(MachineSet, { name, namespace })) {
    throw waiting("WaitingForCache", `MachineSet ${name} exists, but the cache does not show it yet`, 1_000);
  }
  const { replicas } = action.detail;
  const revision = targetRevision(undefined, sets);
  const { hasSpare = false } = scope.plan?.records?.get(name) ?? {};
  const records = { receives: [], handsOver: [], hasSpare };
  const request = { name, replicas, revision, existing: undefined, isTarget: true };
  await applySet(scope, { ...request, records, updates: new Map() });
  const message = `Created MachineSet ${name} with ${replicas} replicas: ${action.why}`;
  context.event({ type: "Normal", reason: "SuccessfulCreate", message });
}

/**
 * Applies the configuration of each set that lacks a field of it. After a change of the deployment every set is written
 * once, because the cache does not show which fields the last configuration had.
 */
async function updateSets(scope: Scope, { actions, target, records }: DeploymentPlan): Promise<void> {
  const { context, deployment, sets } = scope;
  const isChanged = deployment.status?.observedGeneration !== deployment.metadata.generation;
  const scalings = new Map(
    actions.flatMap((action) =>
      action.action === "ScaleMachineSet" ? [[action.targets[0] ?? "", action] as const] : [],
    ),
  );
  // The set that receives machines records them first: until then the other one keeps them.
  const ordered = sets.toSorted(
    (a, b) => Number(b.metadata.name === target) - Number(a.metadata.name === target),
  );
  for (const set of ordered) {
    if (set.metadata.deletionTimestamp !== undefined) continue;
    const { name } = set.metadata;
    const scaling = scalings.get(name);
    const request = {
      ...requestOf(set, { sets, scaling, isTarget: name === target }),
      records: records?.get(name) ?? recordsOf(set),
      updates: startedUpdates(scope, set, actions),
    };
    if (!isChanged && isCurrent(deployment, set, request)) continue;
    await applySet(scope, request, { isStrict: records !== undefined });
    if (scaling) context.event(scalingEvent(name, scaling));
  }
}

/** Whether a set has the configuration and the records that it should have. */
function isCurrent(
  deployment: Frozen<MachineDeployment>,
  set: Frozen<MachineSet>,
  request: SetRequest,
): boolean {
  return (
    deepEqual(recordsOf(set), request.records) &&
    updateRecordsText(updateRecordsOf(set)) === updateRecordsText(request.updates) &&
    includes(set, setConfiguration(deployment, request))
  );
}

type Scaling = DeploymentAction & { readonly action: "ScaleMachineSet" };

function requestOf(
  set: Frozen<MachineSet>,
  { sets, scaling, isTarget }: Pick<Scope, "sets"> & { scaling: Scaling | undefined; isTarget: boolean },
): Omit<SetRequest, "records" | "updates"> {
  return {
    name: set.metadata.name,
    replicas: scaling?.detail.to ?? set.spec.replicas ?? 1,
    revision: isTarget ? targetRevision(set, sets) : revisionOf(set),
    existing: set,
    isTarget,
  };
}

function scalingEvent(name: string, { detail: { from, to }, why }: Scaling): EventNote {
  const message = `Scaled ${to > from ? "up" : "down"} MachineSet ${name} from ${from} to ${to}: ${why}`;
  return { type: "Normal", reason: "SuccessfulScale", message };
}

/** Strict: the write is refused if the set has changed since it was read, because records and replicas belong together. */
async function applySet(
  { context, deployment }: Scope,
  request: SetRequest,
  { isStrict = false } = {},
): Promise<void> {
  const { namespace } = deployment.metadata;
  const name = { name: request.name, namespace };
  const configuration = setConfiguration(deployment, request);
  const resourceVersion = request.existing?.metadata.resourceVersion;
  const body =
    isStrict && resourceVersion !== undefined
      ? { ...configuration, metadata: { ...configuration.metadata, resourceVersion } }
      : configuration;
  const fieldManager = DEPLOYMENT_FIELD_MANAGER;
  const applied = await context.client.patch(MachineSet, name, {
    type: "apply",
    body,
    fieldManager,
    force: true,
  });
  // A record that another client wrote does not go by an apply.
  const forged = [...recordsIn(applied), SPARE_MACHINE_ANNOTATION, STARTED_UPDATES_ANNOTATION].filter(
    (annotation) =>
      applied.metadata.annotations?.[annotation] !== undefined &&
      !(annotation in configuration.metadata.annotations),
  );
  if (forged.length === 0) return;
  const annotations = Object.fromEntries(forged.map((annotation) => [annotation, null]));
  await context.client.patch(MachineSet, name, { type: "merge", body: { metadata: { annotations } } });
}

async function deleteSet({ context, sets }: Scope, { targets }: DeploymentAction): Promise<void> {
  const set = sets.find(({ metadata }) => metadata.name === targets[0]);
  if (!set || !(await deleteIfExists(context.client, MachineSet, set.metadata))) return;
  const message = `Deleted MachineSet ${set.metadata.name}`;
  context.event({ type: "Normal", reason: "SuccessfulDelete", message });
}

/** The revision of the deployment is that of the set with its template. */
function syncRevision({ deployment, sets, plan }: Scope): void {
  const target = sets.find(({ metadata }) => metadata.name === plan?.target);
  if (!plan?.target) return;
  const revision = String(targetRevision(target, sets));
  const { metadata } = deployment;
  if (metadata.annotations?.[REVISION_ANNOTATION] === revision) return;
  metadata.annotations = { ...metadata.annotations, [REVISION_ANNOTATION]: revision };
}

/** No event reports that `spec.rollout.after` has passed. */
function awaitRolloutAfter({ deployment }: Scope, nowMs: number): Outcome {
  const afterMs = Date.parse(deployment.spec.rollout?.after ?? "");
  if (Number.isNaN(afterMs) || passedRolloutMs(deployment, nowMs) !== undefined) return next;
  return again(afterMs - nowMs, "WaitingForRolloutAfter");
}
