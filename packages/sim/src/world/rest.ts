import type { Azure } from "@capstan/azure-sim";
import type { Scheduler } from "@capstan/env";
import type { Guests } from "../guests/guests.ts";
import type { Trace } from "../trace/trace.ts";
import type { TraceEvent } from "../trace/trace-event.ts";
import type { Managers } from "./managers.ts";
import { isBookkeeping } from "./truth.ts";

/** What has to be at rest. */
export interface Restless {
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly azure: Azure;
  readonly guests: Guests;
  readonly managers: Managers;
}

const ON_THE_WAY = new Set(["booting", "cloud-init", "joining", "registered"]);
const REPORTS = new Set(["condition", "violation", "guestFailure"]);
const METHODS_THAT_READ = new Set(["GET", "HEAD"]);

const LOOK_MS = 60_000;

/** Knows when nothing has happened for a while, and nothing is on its way. */
export class Rest {
  readonly #world: Restless;
  #lastMs = 0;
  /** When Azure was found busy: that it is done is news to managers, which ask rarely about what takes long. */
  #busyMs = -Infinity;
  #lookedMs = -Infinity;

  constructor(world: Restless) {
    this.#world = world;
    world.trace.onEvent((event) => {
      if (isWork(event)) this.#lastMs = event.atMs;
    });
  }

  /** Since when nothing has been done. */
  get sinceMs(): number {
    return this.#lastMs;
  }

  /** Whether nothing has been done for so long, and nobody is about to do something. */
  isQuiet(forMs: number): boolean {
    const { monotonicMs } = this.#world.scheduler;
    // Often enough that the end of what takes long is not missed, and seldom enough to cost nothing.
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

  /** Who is about to do something. */
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

/** Whether somebody changed something; what only reads, reports or keeps books is no work. */
function isWork({ happening }: TraceEvent): boolean {
  if (happening.kind === "write") return !isBookkeeping(happening.resource);
  if (happening.kind === "arm") return !METHODS_THAT_READ.has(happening.method);
  return !REPORTS.has(happening.kind);
}
