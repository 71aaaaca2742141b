import { type Clock, abortError, sleepWith, type Timer } from "../clock.ts";
import type { Env } from "../env.ts";
import { uuidFrom } from "../ids.ts";
import { type Rng, rngStreams } from "../rng.ts";
import type { Handler, HttpRequest, HttpResponse, Peer, Transport } from "../transport.ts";
import type { Scheduler } from "./scheduler.ts";

/**
 * What becomes of one request. `crashBefore`: the process dies and the server never hears of it;
 * `crashAfter`: the server carries it out and the process dies before the answer. An Error is
 * what the caller gets instead of an answer: without effect on the server, or after the server
 * has carried the request out (`answerLost`).
 */
export type Fate = "deliver" | "crashBefore" | "crashAfter" | Error | { readonly answerLost: Error };

/** How one server is reached from a virtual process. */
export interface Link {
  /** One-way delay of a message, 1 ms unless told. */
  readonly latencyMs?: (rng: Rng) => number;
  /** Delay of each line of a stream; as any other message unless told. A long one makes watches lag behind. */
  readonly lineLatencyMs?: (rng: Rng) => number;
  /** Decides the fate of each request at the moment it is sent. */
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
  /** As the signal of its death says; every timer and every answer asks, and a signal takes long to tell. */
  #isDead = false;
  readonly #latencies: Rng;
  #stalledUntilMs = 0;
  #wallOffsetMs = 0;

  /** `name` must be new for each start, or a restarted process would draw the same names again. */
  constructor(scheduler: Scheduler, name: string) {
    this.name = name;
    this.#scheduler = scheduler;
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

  /** Calls back when the process dies. */
  onCrash(callback: () => void): void {
    this.#death.signal.addEventListener("abort", callback, { once: true });
  }

  /** Stops the process dead. Its open connections are seen to close by the servers. */
  crash(): void {
    this.#isDead = true;
    this.#death.abort(new Error(`process ${this.name} crashed`));
  }

  /** Stands still, as a process does whose event loop is blocked: what it waits for reaches it afterwards. */
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

  /** Sends one request as over a connection: for whoever has a handler or a link of its own for each. */
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

  /** The request travels whether or not its sender lives on; only the answer needs a living process. */
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

  /** Makes the answer arrive after its latency. A caller that gives up before is told so at once, and never again. */
  #abortable({ request: { signal }, link, reject }: Call, label: string): (deliver: () => void) => void {
    if (!signal) return (deliver) => void this.#enter(this.#latencyMs(link), label, deliver);
    const onAbort = (): void => {
      if (!this.crashed) reject(abortError(signal));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    return (deliver) =>
      void this.#enter(this.#latencyMs(link), label, () => {
        signal.removeEventListener("abort", onAbort);
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
    // One listener serves all lines, as a listener for each would cost more than the line: whoever loops over
    // lines waits for one at a time, and to reject the one before again is without effect.
    let giveUp: ((error: Error) => void) | undefined;
    // Noted once: a signal of several, as those of watches are, asks all of them each time.
    let isGivenUp = signal?.aborted ?? false;
    const onAbort = (): void => {
      isGivenUp = true;
      if (!this.crashed) giveUp?.(abortError(signal));
    };
    const end = (): void => signal?.removeEventListener("abort", onAbort);
    signal?.addEventListener("abort", onAbort, { once: true });
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

/** A request as a server gets it: whoever sent it may give it up, or die. */
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

  // Made when somebody asks for it: hardly any server does, and a signal of two is expensive. It is a property of each
  // request, so that a copy has it too, and one description serves all of them: a getter of its own for each is slow.
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
