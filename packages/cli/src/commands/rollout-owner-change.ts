import {
  controllerOf,
  DEPLOYMENT_NAME_LABEL,
  formatTimestamp,
  type Frozen,
  isPausedByAnnotation,
  KubeadmControlPlane,
  MachineDeployment,
  MachineSet,
  PAUSED_ANNOTATION,
  REVISION_ANNOTATION,
  REVISION_HISTORY_LIMIT_ANNOTATION,
  TEMPLATE_HASH_LABEL,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { titleOf } from "../plan/read/given-objects.ts";
import { type Owner, type OwnerName, readOwner } from "../rollout/owner-progress.ts";
import type { RolloutVerb } from "../rollout/rollout-verb.ts";

interface OwnerChange {
  readonly owner: OwnerName;
  readonly namespace: string;
  readonly nowMs: number;
}

/** Changes the rollout of a MachineDeployment or a KubeadmControlPlane, and returns a message about it. */
export async function changeOwner(client: Client, verb: RolloutVerb, change: OwnerChange): Promise<string> {
  const { owner: named, namespace, nowMs } = change;
  const owner = await readOwner(client, named, namespace);
  if (owner.metadata.deletionTimestamp !== undefined)
    throw new CommandError(`${titleOf(owner)} is being deleted, so it has no rollout to ${verb}`);
  const target: Target = { client, named, owner, nowMs };
  return { pause, resume, restart, undo }[verb](target);
}

interface Target {
  readonly client: Client;
  readonly named: OwnerName;
  readonly owner: Owner;
  readonly nowMs: number;
}

/** A MachineDeployment has a field for it, with which it still scales; a control plane has the annotation only. */
async function pause(target: Target): Promise<string> {
  const { owner } = target;
  if (isPaused(owner)) return `${titleOf(owner)} is paused already\n`;
  if (owner.kind === MachineDeployment.kind) await merge(target, { spec: { paused: true } });
  else await merge(target, { metadata: { annotations: { [PAUSED_ANNOTATION]: "true" } } });
  const effect =
    owner.kind === MachineDeployment.kind
      ? "it scales, but no machine is replaced or updated until it is resumed"
      : "no machine is added, replaced or updated until it is resumed";
  return `${titleOf(owner)} paused: ${effect}\n`;
}

async function resume(target: Target): Promise<string> {
  const { owner } = target;
  if (!isPaused(owner)) return `${titleOf(owner)} was not paused\n`;
  await merge(target, {
    ...(isPausedByAnnotation(owner) && { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } }),
    ...(owner.spec.paused === true && { spec: { paused: null } }),
  });
  return `${titleOf(owner)} resumed\n`;
}

async function restart(target: Target): Promise<string> {
  const { owner, nowMs } = target;
  refusePaused(owner, "restarted");
  if (replacesNone(owner))
    throw new CommandError(
      `${titleOf(owner)} cannot be restarted: it updates its machines in place and would replace none; delete them one by one, with kubectl delete machine NAME`,
    );
  await merge(target, { spec: { rollout: { after: formatTimestamp(nowMs) } } });
  return `${titleOf(owner)} restarted: each of its machines is replaced, within its budget\n`;
}

const IN_PLACE: ReadonlySet<string> = new Set(["InPlace", "ExternalUpdate"]);

/** Updaters make a machine equal to its template, which a restart does not change; only a control plane has a fallback for it. */
function replacesNone({ kind, spec: { rollout } }: Owner): boolean {
  const { type = "", fallbackRollingUpdate } = rollout?.strategy ?? {};
  if (kind === KubeadmControlPlane.kind && fallbackRollingUpdate) return false;
  return IN_PLACE.has(type);
}

/**
 * Brings back the template of the MachineSet before the current one. That set exists until its last machine is gone, and
 * longer if its annotation keeps it.
 */
async function undo(target: Target): Promise<string> {
  const { client, owner } = target;
  if (owner.kind !== MachineDeployment.kind)
    throw new CommandError(
      `${titleOf(owner)} keeps no earlier revisions; apply the earlier manifest. kubeadm does not support a lower version`,
    );
  refusePaused(owner, "undone");
  const { name, namespace = "default" } = owner.metadata;
  const sets = await client.list(MachineSet, {
    namespace,
    labelSelector: `${DEPLOYMENT_NAME_LABEL}=${name}`,
  });
  const previous = previousSet(sets.filter((set) => controllerOf(set)?.uid === owner.metadata.uid));
  if (!previous)
    throw new CommandError(
      `${titleOf(owner)} has no earlier revision: its controller deletes a MachineSet with its last machine; apply the earlier manifest. the annotation ${REVISION_HISTORY_LIMIT_ANNOTATION} keeps MachineSets for the next time`,
    );
  const body = [{ op: "replace", path: "/spec/template", value: templateOf(previous) }] as const;
  await client.patch(MachineDeployment, { name, namespace }, { type: "json", body });
  const { version = "no version" } = previous.spec.template.spec;
  return `${titleOf(owner)} undone: it has the template of revision ${revisionOf(previous)} again (${version})\n`;
}

/** The set with the highest revision below that of the current set. */
function previousSet(sets: readonly Frozen<MachineSet>[]): Frozen<MachineSet> | undefined {
  const [, previous] = sets
    .filter((set) => revisionOf(set) > 0)
    .toSorted((a, b) => revisionOf(b) - revisionOf(a));
  return previous;
}

function revisionOf({ metadata }: Frozen<MachineSet>): number {
  return Number(metadata.annotations?.[REVISION_ANNOTATION] ?? 0);
}

/** The template without the label by which the controller tells the machines of its sets apart. */
function templateOf({ spec }: Frozen<MachineSet>): object {
  const { metadata = {}, ...rest } = spec.template;
  const { [TEMPLATE_HASH_LABEL]: _, ...labels } = metadata.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}

function isPaused(owner: Owner): boolean {
  return isPausedByAnnotation(owner) || owner.spec.paused === true;
}

function refusePaused(owner: Owner, done: string): void {
  if (!isPaused(owner)) return;
  const short = owner.kind === MachineDeployment.kind ? "md" : "kcp";
  throw new CommandError(
    `${titleOf(owner)} cannot be ${done} while it is paused; resume it first, with capstan rollout resume ${short}/${owner.metadata.name}`,
  );
}

async function merge({ client, named, owner }: Target, body: object): Promise<void> {
  const { name, namespace } = owner.metadata;
  await client.patch(named.kind, { name, namespace }, { type: "merge", body });
}
