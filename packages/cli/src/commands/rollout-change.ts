import {
  AzureMachinePool,
  formatTimestamp,
  type Frozen,
  isPausedByAnnotation,
  PAUSED_ANNOTATION,
} from "@capstan/api";
import { RESTARTED_AT_ANNOTATION } from "@capstan/plan";
import type { Client } from "@capstan/runtime";
import { withUserClient } from "../cluster/user-access.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { titleOf } from "../plan/read/given-objects.ts";
import type { PoolParts } from "../plan/planners/pool-parts.ts";
import { deletionOf } from "../plan/planners/standstill.ts";
import { findPool, readPool } from "../rollout/live-pool.ts";
import { ownerNamed } from "../rollout/owner-progress.ts";
import type { RolloutVerb } from "../rollout/rollout-verb.ts";
import type { Shell } from "../shell.ts";
import { changeOwner } from "./rollout-owner-change.ts";
import { poolIn, type RolloutOptions } from "./rollout-status.ts";

/** `capstan rollout pause`, `resume`, `restart` and `undo`. */
export async function rolloutChange(
  shell: Shell,
  verb: RolloutVerb,
  options: RolloutOptions,
): Promise<number> {
  const said = await withUserClient(shell, options.access, async (client, place) => {
    const owner = ownerNamed(options.pool);
    if (owner) return changeOwner(client, verb, { owner, namespace: place.namespace, nowMs: place.now() });
    const pool = await findPool(client, poolIn(place, options));
    return changeRollout(client, verb, { parts: await readPool(client, pool), nowMs: place.now() });
  });
  shell.out.write(said);
  return EXIT.done;
}

/**
 * Makes the change and returns a message about it.
 *
 * Only the AzureMachinePool is paused: its controller is the one that adds and deletes machines. The MachinePool
 * controller continues to count Nodes, and the workload is not touched.
 */
export async function changeRollout(
  client: Client,
  verb: RolloutVerb,
  { parts, nowMs }: { readonly parts: PoolParts; readonly nowMs: number },
): Promise<string> {
  refuseDeleting(parts, verb);
  return { pause, resume, restart, undo }[verb](client, parts, nowMs);
}

const DONE = { pause: "paused", resume: "resumed", restart: "restarted", undo: "undone" } as const;

function undo(_: Client, { pool }: PoolParts): Promise<string> {
  throw new CommandError(
    `${titleOf(pool)} keeps no earlier revisions; apply the earlier manifest, and see what it does with capstan plan first`,
  );
}

/**
 * A pool that is being deleted has no rollout. A pause also holds up the deletion, so the message says how to end it.
 */
function refuseDeleting(parts: PoolParts, verb: RolloutVerb): void {
  const { pool } = parts;
  const deletion = deletionOf(parts);
  if (!deletion) return;
  const { name, namespace = "default" } = pool.metadata;
  const advice = isPausedByAnnotation(pool)
    ? `; it is paused, and its deletion waits for: kubectl annotate azuremachinepool ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`
    : "";
  throw new CommandError(`${titleOf(pool)} cannot be ${DONE[verb]}: ${deletion.why}${advice}`);
}

async function pause(client: Client, { pool }: PoolParts): Promise<string> {
  if (isPausedByAnnotation(pool)) return `${titleOf(pool)} is paused already\n`;
  await annotate(client, pool, { [PAUSED_ANNOTATION]: "true" });
  return `${titleOf(pool)} paused: no machine is added, replaced or updated until it is resumed\n`;
}

async function resume(client: Client, parts: PoolParts): Promise<string> {
  const { pool } = parts;
  if (isPausedByAnnotation(pool)) await annotate(client, pool, { [PAUSED_ANNOTATION]: null });
  const others = pausedElsewhere(parts);
  const said = isPausedByAnnotation(pool)
    ? `${titleOf(pool)} resumed\n`
    : `${titleOf(pool)} was not paused\n`;
  return others.length === 0 ? said : `${said}it is still paused: ${others.join(" and ")}\n`;
}

async function restart(client: Client, parts: PoolParts, nowMs: number): Promise<string> {
  const { pool } = parts;
  const paused = [
    ...(isPausedByAnnotation(pool) ? [`${titleOf(pool)} is paused`] : []),
    ...pausedElsewhere(parts),
  ];
  if (paused.length > 0) {
    throw new CommandError(
      `${titleOf(pool)} cannot be restarted: ${paused.join(" and ")}; resume it first, with capstan rollout resume ${pool.metadata.name}`,
    );
  }
  await annotate(client, pool, { [RESTARTED_AT_ANNOTATION]: formatTimestamp(nowMs) });
  return `${titleOf(pool)} restarted: each of its machines is replaced, within the pool's budget\n`;
}

/** The pauses of a pool's owners, which this command does not change. */
function pausedElsewhere({ machinePool, cluster }: PoolParts): readonly string[] {
  return [
    ...(isPausedByAnnotation(machinePool)
      ? [`${titleOf(machinePool)} has the annotation ${PAUSED_ANNOTATION}`]
      : []),
    ...(cluster?.spec.paused === true ? [`${titleOf(cluster)} has spec.paused set`] : []),
  ];
}

async function annotate(
  client: Client,
  { metadata }: Frozen<AzureMachinePool>,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { name, namespace } = metadata;
  const body = { metadata: { annotations } };
  await client.patch(AzureMachinePool, { name, namespace }, { type: "merge", body });
}
