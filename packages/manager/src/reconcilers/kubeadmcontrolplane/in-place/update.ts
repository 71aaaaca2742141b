import {
  CONTROL_PLANE_NAME_LABEL,
  controllerOf,
  type Frozen,
  isUpdatingInPlace,
  hasUpdateFailed,
  KubeadmControlPlane,
  labelValueFor,
  Machine,
  PENDING_HOOKS_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { next, type Outcome, waiting } from "@capstan/runtime";
import {
  type ControlPlaneAction,
  keptRecords,
  recordedUpdatersLeft,
  type UpdateRecord,
  updateRecordsOf,
  updateRecordsText,
} from "@capstan/plan";
import type { PartToCompare } from "../../../in-place/compare.ts";
import { startUpdate } from "../../../in-place/start.ts";
import { prepareJoin } from "../kubeadm-config.ts";
import type { Scope } from "../scope.ts";
import { desiredPartsOf } from "./decisions.ts";

type Update = Extract<ControlPlaneAction, { readonly action: "UpdateMachineInPlace" }>;

/**
 * Records an update on the control plane, then writes its plan to its machine, then the desired infrastructure and KubeadmConfig, then the desired version
 * with the sign that updaters may run. All objects keep their names. A crash in between leaves a machine with a plan and
 * without the sign, and the next pass writes the same again.
 */
export async function updateMachine(scope: Scope, { targets, detail }: Update): Promise<void> {
  const { context, owner, machines } = scope;
  const [name = ""] = targets;
  const cached = machines.find(({ metadata }) => metadata.name === name);
  if (!cached) return;
  const parts = await desiredPartsOf(scope, cached);
  await requireNoOtherUpdate(scope, name);
  // `kubeadm upgrade` reads the version and the settings of components from the cluster.
  await prepareJoin(scope);
  const record = plannedUpdate(scope, cached, detail);
  await recordUpdate(scope, name, record);
  const machine = await beginUpdate(scope, cached, record);
  await applyPart(scope, parts.infrastructure);
  if (parts.bootstrap) await applyPart(scope, parts.bootstrap);
  await startUpdate(context.client, owner, machine);
  const message = `Wrote the desired state of Machine ${name}; its updaters may run: ${detail.updaters.join(", ")}`;
  context.event({ type: "Normal", reason: "UpdateStarted", message });
}

/** The cache may be behind: two machines that restart at once could cost the quorum of etcd. */
export async function requireNoOtherUpdate(
  { context, controlPlane }: Pick<Scope, "context" | "controlPlane">,
  name: string,
): Promise<void> {
  const { namespace, uid, name: owner } = controlPlane.metadata;
  const machines = await context.client.list(Machine, {
    ...(namespace !== undefined && { namespace }),
    labelSelector: `${CONTROL_PLANE_NAME_LABEL}=${labelValueFor(owner)}`,
  });
  const other = machines.find(
    (one) =>
      one.metadata.name !== name &&
      controllerOf(one)?.uid === uid &&
      (one.metadata.deletionTimestamp !== undefined || (isUpdatingInPlace(one) && !hasUpdateFailed(one))),
  );
  if (!other) return;
  const message = `Machine ${other.metadata.name} is being changed, and the cache does not show it yet`;
  throw waiting("WaitingForCache", message, 1_000);
}

function plannedUpdate(
  { controlPlane, owner }: Scope,
  machine: Frozen<Machine>,
  { updaters: planned, key, ...detail }: Update["detail"],
): UpdateRecord {
  // Updaters of an earlier update that did not end: what they had to do may be half done.
  const before = isUpdatingInPlace(machine)
    ? updateRecordsOf(controlPlane).get(machine.metadata.name)
    : undefined;
  const left = recordedUpdatersLeft(machine, before);
  const needsDrain = detail.needsDrain === true || (left.length > 0 && before?.needsDrain === true);
  const updaters = [...new Set([...planned, ...left])];
  return { updaters, version: owner.version ?? null, key, ...(needsDrain && { needsDrain }) };
}

/** Only a recorded update lets updaters run. One machine is updated at a time. */
async function recordUpdate(
  { context, controlPlane }: Scope,
  name: string,
  record: UpdateRecord,
): Promise<void> {
  const { metadata } = controlPlane;
  const records = new Map([...updateRecordsOf(controlPlane), [name, record]]);
  const annotations = { [STARTED_UPDATES_ANNOTATION]: updateRecordsText(records) };
  if (metadata.annotations?.[STARTED_UPDATES_ANNOTATION] === annotations[STARTED_UPDATES_ANNOTATION]) return;
  await context.client.patch(KubeadmControlPlane, metadata, {
    type: "merge",
    body: { metadata: { annotations } },
  });
}

/** Removes the records of updates that have ended, and not in a pass that records one. */
export function forgetEndedUpdates({ controlPlane, machines, owner, plan }: Scope): Outcome {
  if (plan?.actions.some(({ action }) => action === "UpdateMachineInPlace") === true) return next;
  const { [STARTED_UPDATES_ANNOTATION]: before, ...others } = controlPlane.metadata.annotations ?? {};
  const records = keptRecords({ records: updateRecordsOf(controlPlane), machines, version: owner.version });
  const after = updateRecordsText(records);
  if (after === before) return next;
  controlPlane.metadata.annotations =
    after === undefined ? others : { ...others, [STARTED_UPDATES_ANNOTATION]: after };
  return next;
}

/** Writes the plan. The write is refused if the machine has changed since it was read. */
function beginUpdate(
  { context }: Scope,
  machine: Frozen<Machine>,
  { updaters, key }: UpdateRecord,
): Promise<Frozen<Machine>> {
  const { name, namespace, resourceVersion } = machine.metadata;
  const body = {
    metadata: {
      resourceVersion,
      annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: key, [PENDING_HOOKS_ANNOTATION]: null },
    },
    spec: { updaters: updaters.length > 0 ? updaters : null },
  };
  return context.client.patch(Machine, { name, namespace }, { type: "merge", body });
}

async function applyPart({ context }: Scope, { existing, body, fieldManager }: PartToCompare): Promise<void> {
  const { kind, name } = existing.target;
  await context.client.patch(kind, name, { type: "apply", body, fieldManager, force: true });
}
