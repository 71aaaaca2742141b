import { type Clock, abortError, sleepWith, type Timer } from "../clock.ts";
import type { Env } from "../env.ts";
import { uuidFrom } from "../ids.ts";
import { type Rng, rngStreams } from "../rng.ts";
import type { Handler, HttpRequest, HttpResponse, Peer, Transport } from "../transport.ts";
import type { Scheduler } from "./scheduler.ts";

/**
 * What happens to one request. `crashBefore`: the process dies and the server never receives it; `crashAfter`: the
 * request takes effect and the process dies before the answer. An Error is what the caller gets instead of an answer:
 * without effect on the server, or after the request has taken effect (`answerLost`).
 */
export type Fate = "deliver" | "crashBefore" | "crashAfter" | Error | { readonly answerLost: Error };

/** How a virtual process reaches one server. */
export interface Link {
  /** One-way delay of a message; default 1 ms. */
  readonly latencyMs?: (rng: Rng) => number;
  /** Delay of each line of a stream; default: as for any other message. A long one makes watches lag behind. */
  readonly lineLatencyMs?: (rng: Rng) => number;
  /** Decides the fate of each request when it is sent. */
  readonly fate?: (request: HttpRequest) => Fate;
}

/**
 * One simulated operating-system process: an environment whose timers and connections end with it.
 *
 * A crash is not a rejection, because rejections run `catch` and `finally` and so hide the bugs that
 * matter. After `crash()` no timer of the process fires and no promise of its I/O settles: its code
 * simply stops where it waits. A restart is a new VirtualProcess and a fresh object graph.
 */
export class VirtualProcess implements Env {
  readonly name: string;
  readonly clock: Clock;
  readonly rng: (stream: string) => Rng;
  readonly #scheduler: Scheduler;
  readonly #death = new AbortController();
  /**
   * Caches whether the signal of its death is aborted: every timer and answer checks it, and reading a signal is slow.
   */
  #isDead = false;
  readonly #latencies: Rng;
  readonly #crashed: (() => void)[] = [];
  readonly #leave: () => void;
  /** Stops listening to the signals of pending requests: nothing of a dead process may keep them in memory. */
  readonly #listening = new Set<() => void>();
  #stalledUntilMs = 0;
  #wallOffsetMs = 0;

  /** `name` must be new for each start; otherwise a restarted process would draw the same names again. */
  constructor(scheduler: Scheduler, name: string) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#leave = scheduler.add(this);
    this.rng = rngStreams(`${scheduler.seed}/${name}`);
    this.#latencies = this.rng("latency");
    const label = `${name} timer`;
    const timer = (delayMs: number, callback: () => void): Timer => this.#enter(delayMs, label, callback);
    this.clock = {
      now: () => scheduler.wallMs + this.#wallOffsetMs,
      monotonic: () => scheduler.monotonicMs,
      timer,
      sleep: (delayMs, signal) => sleepWith(timer, delayMs, signal),
    };
  }

  get crashed(): boolean {
    return this.#isDead;
  }

  uuid(): string {
    return uuidFrom(this.rng("uuid"));
  }

  /** Calls back when the process crashes. */
  onCrash(callback: () => void): void {
    this.#crashed.push(callback);
  }

  /** Stops the process at once. Its servers see the open connections close. */
  crash(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    for (const callback of this.#crashed) callback();
    this.end();
  }

  /** Stops the process as a crash does, and reports no crash: the world ends with all its processes. */
  end(): void {
    this.#isDead = true;
    this.#death.abort(new Error(`process ${this.name} ended`));
    for (const stop of this.#listening) stop();
    this.#listening.clear();
    this.#leave();
  }

  /** Stalls, like a process with a blocked event loop: timers and answers reach it afterwards. */
  stall(forMs: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#scheduler.monotonicMs + forMs);
  }

  /** Moves the wall clock of this process alone; timers are not affected. */
  jumpWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** A connection to a server in the same virtual world. */
  connect(handler: Handler, link: Link = {}): Transport {
    return {
      request: (request) => this.send(request, handler, link),
      close: () => Promise.resolve(),
    };
  }

  /** Sends one request as over a connection, for callers with a separate handler or link for each request. */
  send(request: HttpRequest, handler: Handler, link: Link): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      if (this.crashed) return;
      if (request.signal?.aborted) {
        reject(abortError(request.signal));
        return;
      }
      const fate = link.fate?.(request) ?? "deliver";
      if (fate === "crashBefore") this.crash();
      else if (fate instanceof Error)
        this.#enter(this.#latencyMs(link), `${this.name} fault`, () => reject(fate));
      else this.#carry({ request, handler, link, resolve, reject }, fate);
    });
  }

  #latencyMs({ latencyMs }: Link): number {
    return latencyMs?.(this.#latencies) ?? 1;
  }

  #lineLatencyMs(link: Link): number {
    return link.lineLatencyMs?.(this.#latencies) ?? this.#latencyMs(link);
  }

  /** The request arrives even if its sender dies; only the answer needs a living process. */
  #carry(call: Call, fate: Exclude<Fate, Error | "crashBefore">): void {
    const { request, handler, link, reject } = call;
    const label = `${this.name} ${request.method} ${request.path}`;
    const settle = this.#abortable(call, `${label} answer`);
    this.#scheduler.schedule(this.#latencyMs(link), label, () => {
      handler(new SentRequest(request, this.#death.signal)).then(
        (response) =>
          settle(() => {
            if (typeof fate === "object") reject(fate.answerLost);
            else call.resolve(this.#receive(response, call, label));
          }),
        (error: unknown) => settle(() => reject(errorOf(error))),
      );
      if (fate === "crashAfter") this.crash();
    });
  }

  /** Delivers the answer after its latency. A caller that aborts before gets the error at once, and never again. */
  #abortable({ request: { signal }, link, reject }: Call, label: string): (deliver: () => void) => void {
    if (!signal) return (deliver) => void this.#enter(this.#latencyMs(link), label, deliver);
    const onAbort = (): void => {
      if (!this.crashed) reject(abortError(signal));
    };
    const stop = this.#listen(signal, onAbort);
    return (deliver) =>
      void this.#enter(this.#latencyMs(link), label, () => {
        stop();
        deliver();
      });
  }

  #receive(response: HttpResponse, call: Call, label: string): HttpResponse {
    return {
      status: response.status,
      headers: response.headers,
      json: () => response.json(),
      text: () => response.text(),
      lines: () => ({
        [Symbol.asyncIterator]: () =>
          this.#lines(response.lines()[Symbol.asyncIterator](), call, `${label} line`),
      }),
    };
  }

  /** Each line of a watch is an I/O completion of its own and waits for its turn in the heap. */
  #lines(
    source: AsyncIterator<unknown>,
    { request: { signal }, link }: Call,
    label: string,
  ): AsyncIterator<unknown> {
    // One listener serves all lines, because a listener for each would cost more than the line. A reader waits for one
    // line at a time, so rejecting an earlier one again has no effect.
    let giveUp: ((error: Error) => void) | undefined;
    // Cached: a combined signal, as watches have it, checks all of its sources each time.
    let isGivenUp = signal?.aborted ?? false;
    const onAbort = (): void => {
      isGivenUp = true;
      if (!this.crashed) giveUp?.(abortError(signal));
    };
    const end = signal ? this.#listen(signal, onAbort) : (): void => undefined;
    return {
      next: () =>
        new Promise((resolve, reject) => {
          giveUp = reject;
          if (isGivenUp) reject(abortError(signal));
          source.next().then(
            (item) =>
              this.#enter(this.#lineLatencyMs(link), label, () => {
                if (item.done) end();
                resolve(item);
              }),
            (error: unknown) =>
              this.#enter(this.#lineLatencyMs(link), label, () => {
                end();
                reject(errorOf(error));
              }),
          );
        }),
      return: async () => {
        end();
        return (await source.return?.()) ?? { done: true, value: undefined };
      },
    };
  }

  /** Calls back once when a signal is aborted, as long as the process lives; returns what ends that. */
  #listen(signal: AbortSignal, onAbort: () => void): () => void {
    const heard = (): void => {
      stop();
      onAbort();
    };
    const stop = (): void => {
      signal.removeEventListener("abort", heard);
      this.#listening.delete(stop);
    };
    this.#listening.add(stop);
    signal.addEventListener("abort", heard);
    return stop;
  }

  #enter(delayMs: number, label: string, run: () => void): Timer {
    const arrive = (): void => {
      if (this.crashed) return;
      const stillMs = this.#stalledUntilMs - this.#scheduler.monotonicMs;
      if (stillMs <= 0) run();
      else this.#scheduler.again(timer, stillMs, arrive);
    };
    const timer = this.#scheduler.schedule(delayMs, label, arrive);
    return timer;
  }
}

/** A request as a server receives it: its sender may abort it, or die. */
class SentRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly peer?: Peer;
  declare readonly signal: AbortSignal;
  readonly #given: AbortSignal | undefined;
  readonly #death: AbortSignal;

  constructor(request: HttpRequest, death: AbortSignal) {
    this.method = request.method;
    this.path = request.path;
    this.headers = request.headers;
    this.body = request.body;
    if (request.peer) this.peer = request.peer;
    this.#given = request.signal;
    this.#death = death;
    Object.defineProperty(this, "signal", SentRequest.#SIGNAL);
  }

  // Created on first use: few servers read it, and combining two signals is expensive. It is a property of each
  // request, so that a copy has it too, and all requests share one property descriptor, because a getter of its own for
  // each is slow.
  static readonly #SIGNAL = {
    enumerable: true,
    get(this: SentRequest): AbortSignal {
      return this.#given ? AbortSignal.any([this.#given, this.#death]) : this.#death;
    },
  };
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

interface Call {
  readonly request: HttpRequest;
  readonly handler: Handler;
  readonly link: Link;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}
