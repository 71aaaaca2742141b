import {
  abortError,
  type Clock,
  type Env,
  type Handler,
  type HttpRequest,
  type HttpResponse,
} from "@capstan/env";
import { type Link, type Transport, VirtualProcess } from "@capstan/env";
import { type TestServer, keepingLogger, type Line } from "../test-server.fixture.ts";
import type { Reconciler } from "../reconciler/reconciler.ts";
import { Runner, type RunnerOptions } from "./runner.ts";

/**
 * A process that can be stopped and continued, as by SIGSTOP and SIGCONT: time advances, its code does not run, and
 * overdue timers and answers all arrive at once.
 */
class StoppableProcess implements Env {
  readonly clock: Clock;
  readonly #process: VirtualProcess;
  #held: (() => void)[] | undefined;

  constructor(process: VirtualProcess) {
    this.#process = process;
    const timer: Clock["timer"] = (delayMs, callback) => {
      let isCancelled = false;
      const inner = process.clock.timer(delayMs, () =>
        this.#gate(() => {
          if (!isCancelled) callback();
        }),
      );
      return {
        cancel: () => {
          isCancelled = true;
          inner.cancel();
        },
      };
    };
    const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const pending = timer(delayMs, resolve);
        const give = (): void => {
          pending.cancel();
          reject(abortError(signal));
        };
        if (signal?.aborted) give();
        else signal?.addEventListener("abort", give, { once: true });
      });
    this.clock = { ...process.clock, timer, sleep };
  }

  rng(stream: string): ReturnType<Env["rng"]> {
    return this.#process.rng(stream);
  }

  uuid(): string {
    return this.#process.uuid();
  }

  pause(): void {
    this.#held = [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const run of held) this.#process.clock.timer(0, run);
  }

  connect(handler: Handler, link: Link): Transport {
    const inner = this.#process.connect(handler, link);
    return {
      request: async (request) => this.#gated(await this.#later(inner.request(request))),
      close: () => inner.close(),
    };
  }

  #gated(response: HttpResponse): HttpResponse {
    const later = <T>(promise: Promise<T>): Promise<T> => this.#later(promise);
    return {
      ...response,
      lines: async function* () {
        const lines = response.lines()[Symbol.asyncIterator]();
        for (let line = await later(lines.next()); !line.done; line = await later(lines.next()))
          yield line.value;
      },
    };
  }

  #later<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#gate(() => resolve(value)),
        (error: unknown) => this.#gate(() => reject(error)),
      );
    });
  }

  #gate(run: () => void): void {
    if (this.#held) this.#held.push(run);
    else run();
  }
}

/** A manager in a process of its own. */
export interface Manager {
  readonly process: VirtualProcess;
  readonly stoppable: StoppableProcess;
  readonly runner: Runner;
  readonly started: Promise<void>;
  readonly requests: readonly HttpRequest[];
  readonly lines: readonly Line[];
  /** Each sent write, as `12000 PATCH /path`: the time in milliseconds and the request; Leases are separate. */
  readonly writes: string[];
  readonly leaseWrites: string[];
}

/** Starts a manager with these reconcilers. */
export function startManager(
  testServer: TestServer,
  reconcilers: readonly Reconciler[],
  {
    name = "manager",
    handler = testServer.server,
    fate,
    lineLatencyMs,
    ...options
  }: Partial<RunnerOptions> & Link & { readonly handler?: Handler } = {},
): Manager {
  const process = new VirtualProcess(testServer.scheduler, name);
  const stoppable = new StoppableProcess(process);
  const requests: HttpRequest[] = [];
  const writes: string[] = [];
  const leaseWrites: string[] = [];
  const lines: Line[] = [];
  const transport = stoppable.connect(handler, {
    ...(lineLatencyMs && { lineLatencyMs }),
    fate: (request) => {
      requests.push(request);
      const entry = `${testServer.scheduler.monotonicMs} ${request.method} ${request.path}`;
      if (request.method !== "GET") (request.path.includes("/leases") ? leaseWrites : writes).push(entry);
      return fate?.(request) ?? "deliver";
    },
  });
  const log = keepingLogger(lines);
  const runner = new Runner({ env: stoppable, transport, log, name, reconcilers, ...options });
  const started = runner.start();
  started.catch((error: unknown) => testServer.scheduler.fail(error));
  return { process, stoppable, runner, started, requests, lines, writes, leaseWrites };
}
