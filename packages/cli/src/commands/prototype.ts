import {
  AzureMachinePool,
  formatTimestamp,
  type Frozen,
  nodePrototypingOf,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import { planPrototype } from "@capstan/manager";
import type { Env } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { titleOf } from "../plan/given-objects.ts";
import type { PoolParts } from "../plan/pool-parts.ts";
import { benefitText, machinesByImage, machinesToMeasure } from "../prototype/benefit.ts";
import { listText, statusText } from "../prototype/prototype-text.ts";
import { readPods } from "../prototype/workload-pods.ts";
import { findPool, readPool } from "../rollout/live-pool.ts";
import { forWindow } from "../render/emphasis.ts";
import { widthFor } from "../render/width.ts";
import type { Shell } from "../shell.ts";
import { poolIn, type RolloutOptions } from "./rollout-status.ts";

/** `capstan prototype list`: the pools that renew their image. */
export async function prototypeList(
  shell: Shell,
  { access, isEverywhere }: { readonly access: UserAccess; readonly isEverywhere: boolean },
): Promise<number> {
  const pools = await withUserClient(shell, access, (client, { namespace }) =>
    client.list(AzureMachinePool, isEverywhere ? {} : { namespace }),
  );
  shell.out.write(forWindow(shell, listText(pools, widthFor(shell))));
  return EXIT.done;
}

/** `capstan prototype status`: phase, donor, time line, versions and benefit of one pool. */
export async function prototypeStatus(shell: Shell, options: RolloutOptions): Promise<number> {
  const text = await withUserClient(shell, options.access, async (client, place) => {
    const parts = await readPool(client, await findPool(client, poolIn(place, options)));
    const next = planPrototype(parts, place.now())?.why;
    return statusText(parts.pool, {
      next: next ?? "nothing: spec.template.image.nodePrototyping is not set",
      benefit: await benefitOf({ env: shell.env, client }, parts),
    });
  });
  shell.out.write(forWindow(shell, text));
  return EXIT.done;
}

/** What machines from images of the pool save, as far as the workload cluster can be asked. */
async function benefitOf(
  access: { readonly env: Env; readonly client: Client },
  { pool, machines, cluster }: PoolParts,
): Promise<string> {
  const byImage = machinesByImage(pool, machines);
  const measured = [byImage.own, byImage.base].flatMap((some) => machinesToMeasure(pool, some));
  if (!cluster || measured.length === 0) return benefitText(byImage, new Map());
  const read = await readPods(access, cluster, measured);
  if ("pods" in read) return benefitText(byImage, read.pods);
  return `${benefitText(byImage, new Map())}\npods are not measured: ${read.why}\n`;
}

/** `capstan prototype now` and `rollback`: asks the controller by an annotation with a new value. */
export async function prototypeAsk(
  shell: Shell,
  verb: "now" | "rollback",
  options: RolloutOptions,
): Promise<number> {
  const said = await withUserClient(shell, options.access, async (client, place) => {
    const pool = await findPool(client, poolIn(place, options));
    refuse(pool, verb);
    const { name, namespace } = pool.metadata;
    const annotation = verb === "now" ? PROTOTYPE_NOW_ANNOTATION : PROTOTYPE_ROLLBACK_ANNOTATION;
    const body = { metadata: { annotations: { [annotation]: formatTimestamp(place.now()) } } };
    await client.patch(AzureMachinePool, { name, namespace }, { type: "merge", body });
    return `${titleOf(pool)}: ${DONE[verb]}; follow it with capstan prototype status ${name}\n`;
  });
  shell.out.write(said);
  return EXIT.done;
}

const DONE = {
  now: "a renewal is asked for, and begins as soon as the pool may be disturbed",
  rollback: "a rollback is asked for",
} as const;

function refuse(pool: Frozen<AzureMachinePool>, verb: "now" | "rollback"): void {
  if (!nodePrototypingOf(pool))
    throw new CommandError(
      `${titleOf(pool)} does not renew its image; set spec.template.image.nodePrototyping.interval`,
    );
  const isRollable = pool.status?.nodePrototyping?.history?.some(({ state }) => state === "Active") === true;
  if (verb === "rollback" && !isRollable)
    throw new CommandError(
      `${titleOf(pool)} has no image of its own: new nodes boot from the image in its spec`,
    );
}
