import {
  CONTROL_PLANE_NAME_LABEL,
  controllerOf,
  type Frozen,
  isUpdatingInPlace,
  hasUpdateFailed,
  labelValueFor,
  Machine,
  PENDING_HOOKS_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { waiting } from "@capstan/runtime";
import type { ControlPlaneAction } from "@capstan/plan";
import type { PartToCompare } from "../../../in-place/compare.ts";
import { desiredParts } from "../../../in-place/desired.ts";
import { startUpdate } from "../../../in-place/start.ts";
import { prepareJoin } from "../kubeadm-config.ts";
import type { Scope } from "../scope.ts";

type Update = Extract<ControlPlaneAction, { readonly action: "UpdateMachineInPlace" }>;

/**
 * Writes the plan of an update to its machine, then the desired infrastructure and KubeadmConfig, then the desired version
 * with the sign that updaters may run. All objects keep their names. A crash in between leaves a machine with a plan and
 * without the sign, and the next pass writes the same again.
 */
export async function updateMachine(scope: Scope, { targets, detail }: Update): Promise<void> {
  const { context, owner, machines } = scope;
  const [name = ""] = targets;
  const cached = machines.find(({ metadata }) => metadata.name === name);
  if (!cached) return;
  const parts = await desiredParts(context, owner, cached);
  await requireNoOtherUpdate(scope, name);
  // `kubeadm upgrade` reads the version and the settings of components from the cluster.
  await prepareJoin(scope);
  const machine = await beginUpdate(scope, cached, detail);
  await applyPart(scope, parts.infrastructure);
  if (parts.bootstrap) await applyPart(scope, parts.bootstrap);
  await startUpdate(context.client, owner, machine);
  const message = `Wrote the desired state of Machine ${name}; its updaters may run: ${detail.updaters.join(", ")}`;
  context.event({ type: "Normal", reason: "UpdateStarted", message });
}

/** The cache may be behind: two machines that restart at once could cost the quorum of etcd. */
async function requireNoOtherUpdate({ context, controlPlane }: Scope, name: string): Promise<void> {
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

/** Records the plan. The write is refused if the machine has changed since it was read. */
function beginUpdate(
  { context }: Scope,
  machine: Frozen<Machine>,
  { updaters, key }: Update["detail"],
): Promise<Frozen<Machine>> {
  const { name, namespace, resourceVersion } = machine.metadata;
  // Updaters of an earlier update that did not end: what they had to do may be half done.
  const left = isUpdatingInPlace(machine) ? (machine.spec.updaters ?? []) : [];
  const plan = [...new Set([...updaters, ...left])];
  const body = {
    metadata: {
      resourceVersion,
      annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: key, [PENDING_HOOKS_ANNOTATION]: null },
    },
    spec: { updaters: plan.length > 0 ? plan : null },
  };
  return context.client.patch(Machine, { name, namespace }, { type: "merge", body });
}

async function applyPart({ context }: Scope, { existing, body, fieldManager }: PartToCompare): Promise<void> {
  const { kind, name } = existing.target;
  await context.client.patch(kind, name, { type: "apply", body, fieldManager, force: true });
}
