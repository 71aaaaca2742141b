import { type Scheduler, type Transport, VirtualProcess } from "@capstan/env";
import { type Logger, type Reconciler, Runner } from "@capstan/runtime";
import type { Trace } from "../trace/trace.ts";

/** What a manager finds when it starts: a process of its own, and the ways to its servers. */
export interface ManagerConnections {
  readonly env: VirtualProcess;
  /** The management cluster. */
  readonly kube: Transport;
  /** Azure Resource Manager. */
  readonly azure: Transport;
  /** Any other server, by the host of its address or as a kubeconfig names it. */
  readonly connect: (url: string) => Transport;
  /** A token for Azure, without the way through Entra. */
  readonly azureToken: () => string;
  /** Throws when this manager may not write any more. */
  readonly assertMayWrite: () => void;
  /** Where this manager writes what engineers want to know. */
  readonly log: Logger;
  /** How often this manager has been started, from 1. */
  readonly start: number;
}

/** Makes the controllers anew for each start of a manager. */
export type Controllers = (connections: ManagerConnections) => readonly Reconciler[];

/** What managers are made of. */
export interface ManagersOptions {
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly controllers: Controllers;
  readonly connectionsOf: (
    process: VirtualProcess,
  ) => Omit<ManagerConnections, "env" | "log" | "start" | "assertMayWrite">;
  /** The log of all managers. */
  readonly log: Logger;
  /** The Lease that several of them share. */
  readonly lease: { readonly name: string; readonly namespace: string } | undefined;
}

/** A manager that runs. */
export interface RunningManager {
  readonly process: VirtualProcess;
  readonly runner: Runner;
  /** Whether its controllers work; a standby only watches. */
  isWorking: boolean;
}

// As soon as a kubelet restarts a container that died for the first time.
const RESTART_MS = 10_000;

/** Starts managers, and starts them again when they die: what Kubernetes does with a Deployment. */
export class Managers {
  readonly #options: ManagersOptions;
  readonly #running = new Map<number, RunningManager>();
  readonly #starts = new Map<number, number>();
  /** How long a manager that was killed on purpose stays away. */
  readonly #awayMs = new Map<number, number>();

  constructor(options: ManagersOptions) {
    this.#options = options;
  }

  /** Those that run now. */
  running(): readonly RunningManager[] {
    return [...this.#running.values()];
  }

  start(number: number): void {
    const { scheduler, trace, controllers, connectionsOf, log, lease } = this.#options;
    const start = (this.#starts.get(number) ?? 0) + 1;
    this.#starts.set(number, start);
    const process = new VirtualProcess(scheduler, `manager-${number}${start === 1 ? "" : `.${start}`}`);
    const connections: ManagerConnections = {
      ...connectionsOf(process),
      env: process,
      log,
      start,
      assertMayWrite: () => runner.assertMayWrite(),
    };
    const runner: Runner = new Runner({
      env: process,
      transport: connections.kube,
      log,
      name: "capstan",
      reconcilers: controllers(connections),
      ...(lease && { lease }),
    });
    const manager: RunningManager = { process, runner, isWorking: false };
    this.#running.set(number, manager);
    trace.record("world", { kind: "process", process: process.name, event: "started" });
    process.onCrash(() => this.#crashed(number, process));
    runner
      .start()
      .then(() => {
        manager.isWorking = true;
        if (lease) trace.record("world", { kind: "process", process: process.name, event: "led" });
        return runner.held();
      })
      // Whoever has lost the Lease ends at once: crash-only.
      .catch(() => {
        trace.record("world", { kind: "process", process: process.name, event: "lost the Lease" });
        process.crash();
      });
  }

  /** Kills a manager, and keeps it away for so long. */
  crash(number: number, forMs: number): void {
    this.#awayMs.set(number, forMs);
    this.#running.get(number)?.process.crash();
  }

  /** Makes a manager stand still for so long. */
  stall(number: number, forMs: number): void {
    const process = this.#running.get(number)?.process;
    if (!process) return;
    process.stall(forMs);
    this.#options.trace.record("world", { kind: "process", process: process.name, event: "stalled" });
  }

  #crashed(number: number, process: VirtualProcess): void {
    const { scheduler, trace } = this.#options;
    trace.record("world", { kind: "process", process: process.name, event: "crashed" });
    this.#running.delete(number);
    const awayMs = this.#awayMs.get(number) ?? RESTART_MS;
    this.#awayMs.delete(number);
    scheduler.schedule(awayMs, `restart of ${process.name}`, () => this.start(number));
  }
}
