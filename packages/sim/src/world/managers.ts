import { type Scheduler, type Transport, VirtualProcess } from "@capstan/env";
import { type Logger, type Reconciler, Runner } from "@capstan/runtime";
import type { Trace } from "../trace/trace.ts";

/** One member of etcd: by the endpoint of its API server, and the name of its Node. */
export interface EtcdTarget {
  readonly endpoint: string;
  readonly nodeName: string;
}

/** What a manager starts with: a process, and connections to its servers. */
export interface ManagerConnections {
  readonly env: VirtualProcess;
  /** The management cluster. */
  readonly kube: Transport;
  /** Azure Resource Manager. */
  readonly azure: Transport;
  /** Any other server, by the host of its URL or as a kubeconfig names it. */
  readonly connect: (url: string) => Transport;
  /** A member of etcd, by the gRPC gateway. */
  readonly connectEtcd: (target: EtcdTarget) => Transport;
  /** A token for Azure, without a request to Entra. */
  readonly azureToken: () => string;
  /** Throws when this manager may no longer write. */
  readonly assertMayWrite: () => void;
  /** The log of this manager. */
  readonly log: Logger;
  /** How often this manager has been started, from 1. */
  readonly start: number;
}

/** Creates new controllers for each start of a manager. */
export type Controllers = (connections: ManagerConnections) => readonly Reconciler[];

/** The options of managers. */
export interface ManagersOptions {
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly controllers: Controllers;
  readonly connectionsOf: (
    process: VirtualProcess,
  ) => Omit<ManagerConnections, "env" | "log" | "start" | "assertMayWrite">;
  /** The log of all managers. */
  readonly log: Logger;
  /** The Lease that several managers share. */
  readonly lease: { readonly name: string; readonly namespace: string } | undefined;
}

/** A running manager. */
export interface RunningManager {
  readonly process: VirtualProcess;
  readonly runner: Runner;
  /** Whether its controllers run; a standby only fills its caches. */
  isWorking: boolean;
}

// The delay of a kubelet before it restarts a container that crashed for the first time.
const RESTART_MS = 10_000;

/** Starts managers and restarts them after a crash, as a Deployment does. */
export class Managers {
  readonly #options: ManagersOptions;
  readonly #running = new Map<number, RunningManager>();
  readonly #starts = new Map<number, number>();
  /** How long a manager that a step or fault killed stays down. */
  readonly #awayMs = new Map<number, number>();

  constructor(options: ManagersOptions) {
    this.#options = options;
  }

  /** The running managers. */
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
      // A manager that loses the Lease exits at once: crash-only.
      .catch(() => {
        trace.record("world", { kind: "process", process: process.name, event: "lost the Lease" });
        process.crash();
      });
  }

  /** Kills a manager and keeps it down for so long. */
  crash(number: number, forMs: number): void {
    this.#awayMs.set(number, forMs);
    this.#running.get(number)?.process.crash();
  }

  /** Pauses a manager for so long. */
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
