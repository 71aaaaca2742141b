import { createRng } from "@capstan/env";
import type { ErrorBody } from "../../arm/errors.ts";
import { latencyMs, type AzureState } from "../../core/azure-state.ts";
import { endsInLanes } from "../../latency/lanes.ts";
import type { PowerState } from "../../machines/machine.ts";
import type { Instance, ScaleSet } from "./scale-sets.ts";

/** The kinds of work on an instance. */
export type WorkKind =
  | "create"
  | "delete"
  | "manualupgrade"
  | "reimage"
  | "reimageall"
  | "deallocate"
  | "start"
  | "poweroff"
  | "restart"
  | "redeploy"
  | "put";

/** The effect that ends a piece of work on one instance. */
export const INSTANCE_DONE = "instance.done";

/** Work on some instances of one set. */
export interface Work {
  readonly set: ScaleSet;
  readonly instances: readonly Instance[];
  readonly kind: WorkKind;
  readonly operation: string;
  /** How many instances at the same time. */
  readonly lanes?: number;
  /** The share of the instances that fails, and the error. */
  readonly fault?: { readonly share: number; readonly error: ErrorBody } | undefined;
  /** The errors of particular instances. */
  readonly failing?: ReadonlyMap<number, ErrorBody>;
}

/** When the work on each instance ends, and why it fails for some. */
export interface WorkPlan {
  readonly endsMs: readonly number[];
  readonly error: ErrorBody | undefined;
}

const POWER_DURING: Readonly<Partial<Record<WorkKind, PowerState>>> = {
  deallocate: "deallocating",
  start: "starting",
  poweroff: "stopping",
  restart: "starting",
  redeploy: "starting",
};

/** Starts work on instances. Each has a duration of its own, from its own random stream. */
export function startWork(world: AzureState, work: Work): WorkPlan {
  const { set, instances, kind, lanes = world.settings.instancesAtOnce } = work;
  const durations: number[] = [];
  const errors: (ErrorBody | undefined)[] = [];
  for (const instance of instances) {
    instance.flight += 1;
    const rng = createRng(world.seed, `${set.uniqueId}/${instance.id}/${kind}/${instance.flight}`);
    durations.push(latencyMs(world, `instance.${kind}`, rng));
    const isHit = work.fault !== undefined && rng.next() < work.fault.share;
    errors.push(work.failing?.get(instance.id) ?? (isHit ? work.fault?.error : undefined));
  }
  const endsMs = endsInLanes(durations, lanes, world.nowMs);
  for (const [index, instance] of instances.entries()) {
    begin(world, instance, work);
    const error = errors[index];
    world.agenda.enter(endsMs[index] as number, INSTANCE_DONE, {
      set: instance.set,
      // A later set with the same name has instances with the same ids.
      uniqueId: set.uniqueId,
      id: instance.id,
      flight: instance.flight,
      kind,
      ...(error && { error }),
    });
  }
  return { endsMs, error: errors.find((error) => error !== undefined) };
}

function begin(world: AzureState, instance: Instance, { kind, operation }: Work): void {
  instance.operation = operation;
  instance.changedMs = world.nowMs;
  instance.power = POWER_DURING[kind] ?? instance.power;
  if (kind === "delete") instance.state = "Deleting";
  else if (kind !== "create") instance.state = "Updating";
  world.scaleSets.saveInstance(instance);
}

/** When the slowest instance is done. */
export function lastEndMs(world: AzureState, ...plans: readonly WorkPlan[]): number {
  let last = world.nowMs;
  for (const { endsMs } of plans) for (const end of endsMs) last = Math.max(last, end);
  return last;
}
