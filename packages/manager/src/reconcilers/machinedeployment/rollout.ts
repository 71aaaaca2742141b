import { type Frozen, MachineSet, REVISION_ANNOTATION } from "@capstan/api";
import { again, type EventNote, isNotFound, next, type Outcome, waiting } from "@capstan/runtime";
import type { DeploymentAction } from "../../rollout/machine-deployment/action.ts";
import { planDeployment } from "../../rollout/machine-deployment/plan.ts";
import { includes } from "../machineset/machine-object.ts";
import { revisionOf, targetRevision } from "./revision.ts";
import type { Scope } from "./scope.ts";
import { DEPLOYMENT_FIELD_MANAGER, setConfiguration, type SetRequest } from "./set-object.ts";
import { passedRolloutMs } from "./template.ts";
import { requireTemplates } from "./templates.ts";
import { viewOf } from "./view.ts";

/** Creates, scales and deletes MachineSets as the plan says, and keeps their other fields current. */
export async function rollOut(scope: Scope): Promise<Outcome> {
  const { context, deployment, sets } = scope;
  const { namespace } = deployment.metadata;
  const nowMs = context.env.clock.now();
  const isTaken = (name: string): boolean => context.cache.get(MachineSet, { name, namespace }) !== undefined;
  const plan = planDeployment(viewOf({ deployment, sets, isTaken, nowMs }));
  scope.plan = plan;
  for (const action of plan.actions) if (action.action === "CreateMachineSet") await createSet(scope, action);
  await updateSets(scope, plan.actions, plan.target);
  for (const action of plan.actions) if (action.action === "DeleteMachineSet") await deleteSet(scope, action);
  syncRevision(scope);
  return awaitRolloutAfter(scope, nowMs);
}

async function createSet(
  scope: Scope,
  action: DeploymentAction & { action: "CreateMachineSet" },
): Promise<void> {
  const { context, deployment, sets } = scope;
  const { namespace } = deployment.metadata;
  const [name = ""] = action.targets;
  await requireTemplates(scope);
  // The cache may not show a set that a former process has created; to apply it again would reset its replicas.
  if (await context.client.find(MachineSet, { name, namespace })) {
    throw waiting("WaitingForCache", `MachineSet ${name} exists, but the cache does not show it yet`, 1_000);
  }
  const { replicas } = action.detail;
  const revision = targetRevision(undefined, sets);
  await applySet(scope, { name, replicas, revision, existing: undefined, isTarget: true });
  const message = `Created MachineSet ${name} with ${replicas} replicas: ${action.why}`;
  context.event({ type: "Normal", reason: "SuccessfulCreate", message });
}

/**
 * Applies the configuration of each set that lacks a field of it. After a change of the deployment every set is written
 * once, because the cache does not show which fields the last configuration had.
 */
async function updateSets(
  scope: Scope,
  actions: readonly DeploymentAction[],
  target: string | undefined,
): Promise<void> {
  const { context, deployment, sets } = scope;
  const isChanged = deployment.status?.observedGeneration !== deployment.metadata.generation;
  const scalings = new Map(
    actions.flatMap((action) =>
      action.action === "ScaleMachineSet" ? [[action.targets[0] ?? "", action] as const] : [],
    ),
  );
  for (const set of sets) {
    if (set.metadata.deletionTimestamp !== undefined) continue;
    const { name } = set.metadata;
    const scaling = scalings.get(name);
    const request = requestOf(set, { sets, scaling, isTarget: name === target });
    if (!isChanged && includes(set, setConfiguration(deployment, request))) continue;
    await applySet(scope, request);
    if (scaling) context.event(scalingEvent(name, scaling));
  }
}

type Scaling = DeploymentAction & { readonly action: "ScaleMachineSet" };

function requestOf(
  set: Frozen<MachineSet>,
  { sets, scaling, isTarget }: Pick<Scope, "sets"> & { scaling: Scaling | undefined; isTarget: boolean },
): SetRequest {
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

function applySet({ context, deployment }: Scope, request: SetRequest): Promise<Frozen<MachineSet>> {
  const { namespace } = deployment.metadata;
  const body = setConfiguration(deployment, request);
  return context.client.patch(
    MachineSet,
    { name: request.name, namespace },
    { type: "apply", body, fieldManager: DEPLOYMENT_FIELD_MANAGER, force: true },
  );
}

async function deleteSet({ context, sets }: Scope, { targets }: DeploymentAction): Promise<void> {
  const set = sets.find(({ metadata }) => metadata.name === targets[0]);
  if (!set) return;
  const { name, namespace, uid } = set.metadata;
  try {
    await context.client.delete(MachineSet, { name, namespace }, uid === undefined ? {} : { uid });
    context.event({ type: "Normal", reason: "SuccessfulDelete", message: `Deleted MachineSet ${name}` });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
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

/** No event reports that `spec.rolloutAfter` has passed. */
function awaitRolloutAfter({ deployment }: Scope, nowMs: number): Outcome {
  const afterMs = Date.parse(deployment.spec.rolloutAfter ?? "");
  if (Number.isNaN(afterMs) || passedRolloutMs(deployment, nowMs) !== undefined) return next;
  return again(afterMs - nowMs, "WaitingForRolloutAfter");
}
