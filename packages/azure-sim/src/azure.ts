import {
  type AdjustableClock,
  type Clock,
  type Env,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type Timer,
  TransportError,
} from "@capstan/env";
import { type Answer, JsonList, reply } from "./arm/answer.ts";
import { Control } from "./control/control.ts";
import { controlAnswer } from "./control/routes.ts";
import type { SimRequest } from "./core/call.ts";
import { type Core, createCore } from "./core/core.ts";
import { ARM_AUDIENCES, type IssuedToken } from "./entra/tokens.ts";
import { type AzureSettings, completeSettings, DEFAULT_PRINCIPAL, type Principal } from "./settings.ts";
import { Keeper } from "./store/keeper.ts";
import { restore } from "./store/restore.ts";
import type { Store } from "./store/store.ts";

/** The parts of a simulated Azure. */
export interface AzureOptions {
  readonly env: Env;
  /** The cloud's clock, where the control API may change it; the clock of `env` unless given. */
  readonly clock?: AdjustableClock;
  /** Seeds all randomness. A store brings its own seed; otherwise the seed is random unless given. */
  readonly seed?: string;
  /** Persists the cloud; without a store the cloud ends with the process. */
  readonly store?: Store;
  readonly settings?: Partial<AzureSettings>;
  /** Starts with its time standing still until `release`: guests must be there before their machines change. */
  readonly isHeld?: boolean | undefined;
}

/** A request with what only the HTTP adapters know about it. Callers in this process share the cloud's clock. */
export type AzureHandler = (
  request: HttpRequest,
  caller?: Pick<SimRequest, "origin" | "callerMs">,
) => Promise<HttpResponse>;

/** A simulated Azure in this process. */
export interface Azure {
  /** Answers requests to ARM, Entra, the metadata service and, with its token, the control API. */
  readonly handle: AzureHandler & Handler;
  readonly core: Core;
  /** Control from outside ARM: time, faults, and operators who use the portal. */
  readonly control: Control;
  /** A token for ARM, without a request to Entra. */
  issueToken(principal?: Principal): IssuedToken;
  /** Resolves when all changes so far survive a crash; rejects when the store failed. */
  kept(): Promise<void>;
  /** Ends the hold of `isHeld`: what was due meanwhile happens now, in order. */
  release(): void;
  /** Stops all timers and writes the remaining changes to the store. */
  close(): void;
}

/** Creates a simulated Azure, or continues with the one in the store. */
export function createAzure(options: AzureOptions): Azure {
  const { env, clock, seed, store, settings: given, isHeld = false } = options;
  const time = clock ?? env.clock;
  const settings = completeSettings(given);
  const saved = store?.load();
  const core = createCore({
    seed: saved?.position.seed ?? seed ?? env.uuid(),
    settings,
    isStored: store !== undefined,
    isHeld,
  });
  const keeper = new Keeper(core, store);
  if (saved) restore(core, saved);
  else begin(core, keeper, time);
  const waker = new Waker(core, keeper, time);
  const changed = (): void => {
    waker.arm();
    // The caller of the control API does not wait for the store; the next request returns the store's error.
    keeper.keep().catch(() => undefined);
  };
  const control = new Control(core, { time, ...(clock && { clock }), changed });
  const answer: AzureHandler = async (request, caller) => {
    // Do not copy the request: a copy would read its signal, which is created on the first read and is expensive.
    const asked: SimRequest = caller ? { ...request, ...caller } : request;
    const answered =
      controlAnswer(asked, control, settings.controlToken) ?? core.handle(asked, control.nowMs);
    waker.arm();
    const problem = await keeper.keep().then(() => undefined, notStored);
    if (problem) return responseOf(problem);
    if (answered.delayMs !== undefined) await time.sleep(answered.delayMs, request.signal);
    if (answered.isLost === true) throw new TransportError("reset", "the simulated connection broke");
    return responseOf(answered);
  };
  waker.arm();
  return {
    handle: answer,
    core,
    control,
    issueToken: (principal = settings.principals[0] ?? DEFAULT_PRINCIPAL) =>
      core.tokens.issue(principal, ARM_AUDIENCES[0] ?? "", control.nowMs),
    kept: () => keeper.keep(),
    release: () => {
      core.release();
      waker.arm();
    },
    close: () => {
      waker.stop();
      keeper.flush();
    },
  };
}

/** The caller must not rely on a change that was not stored. */
function notStored(error: unknown): Answer {
  const message = `The change could not be stored: ${(error as Error).message}`;
  return reply(500, { error: { code: "InternalServerError", message } });
}

/**
 * Starts the clock of a new cloud and stores its seed at once: a process that is killed before the first request restarts
 * with the same seed.
 */
function begin(core: Core, keeper: Keeper, time: Clock): void {
  core.advance(Math.floor(time.now()));
  keeper.flush();
}

/** Wakes the cloud when a completion is due, also without a request. */
class Waker {
  readonly #core: Core;
  readonly #keeper: Keeper;
  readonly #time: Clock;
  #timer: Timer | undefined;
  #armedMs = Infinity;

  constructor(core: Core, keeper: Keeper, time: Clock) {
    this.#core = core;
    this.#keeper = keeper;
    this.#time = time;
  }

  /** Sets the timer for the next completion, unless it is set for an earlier or the same time. */
  arm(): void {
    const dueMs = this.#core.nextDueMs();
    if (this.#core.isHeld || dueMs === undefined || dueMs >= this.#armedMs) return;
    this.stop();
    this.#armedMs = dueMs;
    this.#timer = this.#time.timer(dueMs - this.#time.now(), () => this.#wake());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#armedMs = Infinity;
  }

  #wake(): void {
    // A timer may fire slightly early. Without this, the timer would be set again for the same moment.
    this.#core.advance(Math.max(Math.floor(this.#time.now()), this.#armedMs));
    this.#armedMs = Infinity;
    // The next request returns the error of a store that fails; no caller waits here.
    this.#keeper.keep().catch(() => undefined);
    this.arm();
  }
}

function responseOf({ status, headers, body }: Answer): HttpResponse {
  const shown: Record<string, string> = { ...headers };
  const json = (): unknown => (body instanceof JsonList ? JSON.parse(body.text) : body);
  if (body !== undefined) shown["content-type"] = "application/json; charset=utf-8";
  return {
    status,
    headers: shown,
    json: () => Promise.resolve(json()),
    text: () => Promise.resolve(textOf(body)),
    async *lines() {
      if (body !== undefined) yield json();
    },
  };
}

function textOf(body: unknown): string {
  if (body instanceof JsonList) return body.text;
  return body === undefined ? "" : JSON.stringify(body);
}
