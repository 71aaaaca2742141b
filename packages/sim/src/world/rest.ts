import type { Azure } from "@capstan/azure-sim";
import type { Scheduler } from "@capstan/env";
import type { Guests } from "../guests/guests.ts";
import type { Trace } from "../trace/trace.ts";
import type { TraceEvent } from "../trace/trace-event.ts";
import type { Managers } from "./managers.ts";
import { isBookkeeping } from "./truth.ts";

/** What must be at rest. */
export interface Restless {
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly azure: Azure;
  readonly guests: Guests;
  readonly managers: Managers;
}

const ON_THE_WAY = new Set(["booting", "cloud-init", "joining", "registered", "restarting"]);
const REPORTS = new Set(["condition", "violation", "guestFailure"]);
const METHODS_THAT_READ = new Set(["GET", "HEAD"]);

const LOOK_MS = 60_000;

/** Detects when no event has happened for a while and no work is pending. */
export class Rest {
  readonly #world: Restless;
  #lastMs = 0;
  /** When Azure was last busy. Managers notice the end of an operation late: they poll long ones rarely. */
  #busyMs = -Infinity;
  #lookedMs = -Infinity;

  constructor(world: Restless) {
    this.#world = world;
    world.trace.onEvent((event) => {
      if (isWork(event)) this.#lastMs = event.atMs;
    });
  }

  /** The time of the last work. */
  get sinceMs(): number {
    return this.#lastMs;
  }

  /** Whether there was no work for so long, and none is pending. */
  isQuiet(forMs: number): boolean {
    const { monotonicMs } = this.#world.scheduler;
    // Often enough not to miss the end of a long operation, and seldom enough to be cheap.
    if (monotonicMs - this.#lookedMs >= LOOK_MS) this.#lookAtAzure();
    if (monotonicMs - Math.max(this.#lastMs, this.#busyMs) < forMs) return false;
    this.#lookAtAzure();
    return this.busy() === undefined;
  }

  #lookAtAzure(): void {
    this.#lookedMs = this.#world.scheduler.monotonicMs;
    if (this.#azureBusyWith() !== undefined) this.#busyMs = this.#lookedMs;
  }

  #azureBusyWith(): string | undefined {
    return this.#world.azure.control.state().runningOperations[0]?.name;
  }

  /** The pending work, if any. */
  busy(): string | undefined {
    const { managers, guests } = this.#world;
    for (const { process, runner, isWorking } of managers.running()) {
      const [unready] = runner.unready();
      if (unready !== undefined) return `${process.name} is ${unready}`;
      if (!isWorking) continue;
      const working = runner.controllers.find(({ queue }) => queue.depth + queue.active > 0);
      if (working) return `${working.name} of ${process.name} has work to do`;
    }
    const operation = this.#azureBusyWith();
    if (operation !== undefined) return `Azure is busy with ${operation}`;
    const guest = guests.list().find(({ stage }) => ON_THE_WAY.has(stage));
    return guest && `machine ${guest.machineId} is ${guest.stage}`;
  }
}

/** Whether an event is a change; reads, reports and bookkeeping are not work. */
function isWork({ happening }: TraceEvent): boolean {
  if (happening.kind === "write") return !isBookkeeping(happening.resource);
  if (happening.kind === "arm") return !METHODS_THAT_READ.has(happening.method);
  return !REPORTS.has(happening.kind);
}
