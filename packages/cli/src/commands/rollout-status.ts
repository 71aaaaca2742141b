import { type UserPlace, withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import type { Client } from "@capstan/runtime";
import {
  awaitRollout,
  followProgress,
  type Patience,
  type Progress,
  showRollout,
  TREE_EMPHASIS,
} from "../rollout/follow-rollout.ts";
import {
  ownerMoment,
  type OwnerName,
  ownerNamed,
  ownerProgress,
  type OwnerRollout,
  progressLines,
} from "../rollout/owner-progress.ts";
import { type Pace, paceAfter } from "../rollout/pace.ts";
import { ownerRollout } from "../rollout/live-owner.ts";
import { ownerTree } from "../rollout/owner-tree.ts";
import { type PoolName, poolNamed } from "../rollout/pool-name.ts";
import { stateReader } from "../rollout/state-reader.ts";
import type { Shell } from "../shell.ts";
import { draw } from "../watching/draw.ts";

/** Which pool, and in which cluster. */
export interface RolloutOptions {
  readonly access: UserAccess;
  /** The pool as the command line names it. */
  readonly pool: string;
}

/** The pool that the user named. */
export function poolIn({ namespace }: UserPlace, { access, pool }: RolloutOptions): PoolName {
  return poolNamed(pool, { namespace, isWritten: access.namespace !== undefined });
}

/** `capstan rollout status`: waits until a pool, a control plane or a MachineDeployment is rolled out. */
export function rolloutStatus(shell: Shell, options: RolloutOptions & Patience): Promise<number> {
  return withUserClient(shell, options.access, (client, place) => {
    const owner = ownerNamed(options.pool);
    if (owner) return awaitOwner(shell, { client, owner, place }, options);
    return awaitRollout(shell, stateReader(client, poolIn(place, options), place), options);
  });
}

interface OwnerPlace {
  readonly client: Client;
  readonly owner: OwnerName;
  readonly place: UserPlace;
}

/** The same for a control plane or a MachineDeployment, which report their numbers themselves. */
function awaitOwner(shell: Shell, { client, owner, place }: OwnerPlace, patience: Patience): Promise<number> {
  const look = ownerLook({ client, owner, place });
  const read = async (): Promise<Progress> => {
    const { rollout, pace } = await look();
    return ownerProgress(rollout, pace, patience);
  };
  return followProgress(shell, read, patience);
}

/** Reads an owner repeatedly, and keeps the pace of its rollout. */
function ownerLook({
  client,
  owner,
  place,
}: OwnerPlace): () => Promise<{ rollout: OwnerRollout; pace: Pace | undefined }> {
  let pace: Pace | undefined;
  return async () => {
    const rollout = await ownerRollout(client, owner, place);
    pace = paceAfter(pace, ownerMoment(rollout));
    return { rollout, pace };
  };
}

/** `capstan rollout watch`: shows a pool until Ctrl-C; without a terminal, until its rollout ends. */
export function rolloutWatch(shell: Shell, options: RolloutOptions): Promise<number> {
  return withUserClient(shell, options.access, (client, place) => {
    const owner = ownerNamed(options.pool);
    if (owner && shell.out.isTerminal) {
      const look = ownerLook({ client, owner, place });
      const readText = async (rows: number): Promise<string> => {
        const { rollout, pace } = await look();
        return ownerTree({ ...rollout, lines: progressLines(rollout, pace) }, rows);
      };
      return draw(shell, readText, TREE_EMPHASIS);
    }
    if (owner) return awaitOwner(shell, { client, owner, place }, { isWatching: true });
    return showRollout(shell, stateReader(client, poolIn(place, options), place));
  });
}
