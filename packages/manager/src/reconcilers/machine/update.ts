import {
  controllerOf,
  ExtensionConfig,
  type Frozen,
  groupOf,
  isUpdatePending,
  isUpdatingInPlace,
  type KubernetesObject,
  type Machine,
  MachineSet,
  PENDING_HOOKS_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
  UPDATE_MACHINE_HOOK,
  UPDATED_FROM_VERSION_ANNOTATION,
} from "@capstan/api";
import { again, Failure, next, type Outcome, shortHash, transient, unlessGone } from "@capstan/runtime";
import {
  afterAnswer,
  afterFailure,
  falseDone,
  nextUpdateStep,
  recordProblem,
  type UpdateProgress,
  type UpdateRecord,
  updateRecordsOf,
  type UpdateStep,
} from "@capstan/plan";
import { type Updater, updaterOf } from "../../in-place/hooks/registry.ts";
import { callUpdater, type UpdaterPorts } from "../../in-place/hooks/updaters.ts";
import type { MachineObjects } from "../../in-place/machine-objects.ts";
import { refersTo, targetOf } from "../../contract/reference.ts";
import type { ResolvedReference } from "../../contract/resolve.ts";
import { drainBeforeUpdate, uncordonAfterUpdate } from "./drain-before-update.ts";
import { UP_TO_DATE, UPDATING } from "../../machines/conditions.ts";
import type { Scope } from "./scope.ts";

// A registered updater enqueues its machines; this interval covers a missed event.
const LOOKUP_MS = 60_000;

/** Runs the updaters of the machine one after the other. */
export async function runUpdaters(scope: Scope): Promise<Outcome> {
  const { machine, ports, context } = scope;
  if (!isUpdatingInPlace(machine) && machine.spec.updaters === undefined) return clearProgress(scope);
  if (!ports.updaters) return next;
  const updater = registeredUpdater(scope);
  const nowMs = context.env.clock.now();
  const timeoutMs = updater?.updateTimeoutMs ?? ports.updaters.updateTimeoutMs;
  const isRegistered = updater !== undefined;
  const step = nextUpdateStep({ machine, specHash: specHashOf(machine), isRegistered, timeoutMs, nowMs });
  return perform(scope, step, updater);
}

function registeredUpdater({ context, machine }: Scope): Updater | undefined {
  const [name] = machine.spec.updaters ?? [];
  const config = name === undefined ? undefined : context.cache.get(ExtensionConfig, { name });
  return config && updaterOf(config);
}

/**
 * The desired state that the updaters work on. The set of a machine stands for its templates; a control plane writes what
 * stands for its own into the sign of the update.
 */
function specHashOf(machine: Frozen<Machine>): string {
  const { version = "", failureDomain = "" } = machine.spec;
  const sign = machine.metadata.annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] ?? "";
  const facts = [version, failureDomain, controllerOf(machine)?.uid ?? "", ...(sign === "" ? [] : [sign])];
  return shortHash(JSON.stringify(facts));
}

async function perform(scope: Scope, step: UpdateStep, updater: Updater | undefined): Promise<Outcome> {
  const { context } = scope;
  const nowMs = context.env.clock.now();
  switch (step.do) {
    case "nothing":
      return clearProgress(scope);
    case "await":
      reportUpdating(scope, "WaitingForDesiredState", step.why);
      return next;
    case "find": {
      const message = `${step.why}: no discovered ExtensionConfig has this name; register it, or remove the name from spec.updaters`;
      reportUpdating(scope, "UpdaterNotRegistered", message);
      return again(LOOKUP_MS, "UpdaterNotRegistered");
    }
    case "start":
      return start(scope, step.progress, updater);
    case "call":
      return callAndRecord(scope, step.progress, updater);
    case "wait":
      reportProgress(scope, step.progress);
      return again(step.untilMs - nowMs, "UpdatingInPlace");
    case "fail":
      return fail(scope, step.progress);
    case "stayFailed":
      reportFailed(scope, step.progress);
      return uncordonAfterUpdate(scope);
    case "finish":
      return finish(scope);
  }
}

async function start(scope: Scope, progress: UpdateProgress, updater: Updater | undefined): Promise<Outcome> {
  const record = await startedUpdate(scope);
  const problem = controllerOf(scope.machine)
    ? recordProblem(scope.machine, record)
    : "no owner updates this machine in place";
  if (problem !== undefined) return refuseUpdate(scope, problem);
  const drain = record?.needsDrain === true ? await drainBeforeUpdate(scope) : undefined;
  if (drain) {
    reportUpdating(
      scope,
      "UpdatingInPlace",
      `Draining the Node before ${progress.updater ?? "the updater"} runs: ${drain.message}`,
    );
    return drain.outcome;
  }
  recordProgress(scope, progress);
  // From here on the spec is locked: admission reads this status.
  await scope.context.persistStatus();
  return callAndRecord(scope, progress, updater);
}

/** The update that the owner has recorded. Read live: the record is older than the sign, and a cache may be behind. */
async function startedUpdate({ context, machine }: Scope): Promise<UpdateRecord | undefined> {
  const controller = controllerOf(machine);
  if (!controller) return undefined;
  const { namespace = "" } = machine.metadata;
  const { kind, name } = controller;
  const reference = { apiGroup: groupOf(controller.apiVersion), kind, name };
  const pointer = { reference, field: `metadata.ownerReferences[${kind}]`, namespace };
  const target = refersTo(reference, MachineSet)
    ? { kind: MachineSet, name: { name, namespace } }
    : await targetOf(context.client, pointer);
  const owner = await context.client.find<KubernetesObject>(target.kind, target.name);
  const records = owner?.metadata.uid === controller.uid ? updateRecordsOf(owner) : undefined;
  return records?.get(machine.metadata.name);
}

function refuseUpdate(scope: Scope, problem: string): Outcome {
  const { context } = scope;
  const message = `The updaters do not run: ${problem}; delete the machine, or remove spec.updaters and the annotations ${UPDATE_IN_PROGRESS_ANNOTATION} and ${PENDING_HOOKS_ANNOTATION}`;
  const update = { status: "False", severity: "Error", reason: "UpdateNotRecorded", message } as const;
  context.setCondition({ type: UP_TO_DATE, ...update });
  context.setCondition({ type: UPDATING, ...update });
  return again(LOOKUP_MS, "UpdateNotRecorded");
}

async function callAndRecord(
  scope: Scope,
  progress: UpdateProgress,
  updater: Updater | undefined,
): Promise<Outcome> {
  const { context, machine, ports } = scope;
  if (!updater || !ports.updaters) return next;
  const after = await answerOf(scope, ports.updaters, { updater, progress });
  const nowMs = context.env.clock.now();
  if (!after) return completeUpdater(scope, updater.name);
  if (after.state === "Failed") return fail(scope, after);
  recordProgress(scope, after);
  reportProgress(scope, after);
  const untilMs = Date.parse(after.nextCallTime ?? machine.metadata.creationTimestamp ?? "");
  return again(Math.max(untilMs - nowMs, 0), "UpdatingInPlace");
}

/** The progress after a call; undefined when the updater is done. */
async function answerOf(
  scope: Scope,
  ports: UpdaterPorts,
  { updater, progress }: { readonly updater: Updater; readonly progress: UpdateProgress },
): Promise<UpdateProgress | undefined> {
  const { context, machine, node } = scope;
  try {
    const answer = await callUpdater(ports, updater, objectsOf(scope));
    const kubelet = node.state === "found" ? node.node.status?.nodeInfo?.kubeletVersion : undefined;
    const problem = answer.status === "Done" ? falseDone(machine, kubelet) : undefined;
    if (problem !== undefined) return afterFailure(progress, problem, context.env.clock.now());
    return afterAnswer(progress, answer, context.env.clock.now());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return afterFailure(progress, error.message, context.env.clock.now());
  }
}

/** The objects of the machine, which its owner has written as desired. */
function objectsOf({ machine, infrastructure, bootstrap }: Scope): MachineObjects {
  if (infrastructure?.state !== "found")
    throw transient(
      "WaitingForInfrastructure",
      "the infrastructure machine cannot be read, so no updater is called",
    );
  return {
    machine,
    infraMachine: infrastructure.object,
    bootstrap: bootstrap?.state === "found" ? bootstrap.object : undefined,
  };
}

function completeUpdater(scope: Scope, name: string): Outcome {
  const { context, machine } = scope;
  const left = (machine.spec.updaters ?? []).filter((one) => one !== name);
  if (left.length > 0) machine.spec.updaters = left;
  else delete machine.spec.updaters;
  forgetProgress(scope);
  reportUpdating(
    scope,
    "UpdatingInPlace",
    left.length > 0 ? `${name} is done, next: ${left[0]}` : `${name} is done`,
  );
  context.event({ type: "Normal", reason: "UpdaterDone", message: `Updater ${name} is done` });
  return again(0, "UpdaterDone");
}

function fail(scope: Scope, progress: UpdateProgress): Promise<Outcome> {
  const { context } = scope;
  recordProgress(scope, progress);
  reportFailed(scope, progress);
  const message = `Updater ${progress.updater}: ${progress.message ?? ""}`;
  context.event({ type: "Warning", reason: "UpdateFailed", message });
  return uncordonAfterUpdate(scope);
}

/** Removes the signs of the update: from the infrastructure and the bootstrap config first, from the machine last. */
async function finish(scope: Scope): Promise<Outcome> {
  const { context, machine } = scope;
  await uncordonAfterUpdate(scope);
  for (const resolved of [scope.infrastructure, scope.bootstrap]) await removeSign(scope, resolved);
  const {
    [UPDATE_IN_PROGRESS_ANNOTATION]: _,
    [UPDATED_FROM_VERSION_ANNOTATION]: __,
    [PENDING_HOOKS_ANNOTATION]: hooks = "",
    ...kept
  } = machine.metadata.annotations ?? {};
  const others = hooks.split(",").filter((hook) => hook !== UPDATE_MACHINE_HOOK && hook !== "");
  machine.metadata.annotations =
    others.length > 0 ? { ...kept, [PENDING_HOOKS_ANNOTATION]: others.join(",") } : kept;
  forgetProgress(scope);
  context.setCondition({ type: UP_TO_DATE, status: "True", reason: "UpToDate" });
  context.setCondition({ type: UPDATING, status: "False", severity: "Info", reason: "NotUpdating" });
  context.event({ type: "Normal", reason: "UpToDate", message: "The machine was updated in place" });
  return next;
}

async function removeSign({ context }: Scope, resolved: ResolvedReference | undefined): Promise<void> {
  if (resolved?.state !== "found") return;
  const { kind, name } = resolved.target;
  if (resolved.object.metadata.annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] === undefined) return;
  const annotations = { [UPDATE_IN_PROGRESS_ANNOTATION]: null };
  await unlessGone(context.client.patch(kind, name, { type: "merge", body: { metadata: { annotations } } }));
}

function clearProgress(scope: Scope): Promise<Outcome> {
  if (scope.machine.status?.update && !isUpdatePending(scope.machine)) forgetProgress(scope);
  return uncordonAfterUpdate(scope);
}

function recordProgress({ machine }: Scope, progress: UpdateProgress): void {
  machine.status = { ...machine.status, update: { ...progress } };
}

function forgetProgress({ machine }: Scope): void {
  const { update: _, ...status } = machine.status ?? {};
  machine.status = status;
}

function reportProgress(scope: Scope, progress: UpdateProgress): void {
  const { updater = "", attempts = 0, message } = progress;
  const said = message === undefined ? "" : `; last answer: ${message}`;
  reportUpdating(scope, "UpdatingInPlace", `Updater ${updater} runs (${attempts} calls)${said}`);
}

function reportUpdating({ context }: Scope, reason: string, message: string): void {
  context.setCondition({ type: UP_TO_DATE, status: "False", severity: "Info", reason, message });
  context.setCondition({ type: UPDATING, status: "True", reason, message });
}

function reportFailed({ context }: Scope, { updater = "", message = "" }: UpdateProgress): void {
  const why = `Updater ${updater}: ${message}; change the template, set the annotation in-place-updates.capstan.dev/retry to a new value, or delete the machine`;
  const reason = "UpdateFailed";
  context.setCondition({ type: UP_TO_DATE, status: "False", severity: "Error", reason, message: why });
  context.setCondition({ type: UPDATING, status: "False", severity: "Error", reason, message: why });
}
