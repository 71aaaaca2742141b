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

/** What a simulated Azure is made of. */
export interface AzureOptions {
  readonly env: Env;
  /** The time of the cloud, where somebody may change it; else it lives in the time of `env`. */
  readonly clock?: AdjustableClock;
  /** Decides everything random. A store brings its own; otherwise a fresh one unless told. */
  readonly seed?: string;
  /** Keeps the cloud; without it the cloud ends with the process. */
  readonly store?: Store;
  readonly settings?: Partial<AzureSettings>;
}

/** A request with what only the HTTP adapters know of it; callers in this process live in the time of the cloud. */
export type AzureHandler = (
  request: HttpRequest,
  caller?: Pick<SimRequest, "origin" | "callerMs">,
) => Promise<HttpResponse>;

/** A simulated Azure in this process. */
export interface Azure {
  /** Answers requests to ARM, Entra, the metadata service and, with its token, the control API. */
  readonly handle: AzureHandler & Handler;
  readonly core: Core;
  /** What happens from outside of ARM: time, faults, other people. */
  readonly control: Control;
  /** A token for ARM, without the way through Entra. */
  issueToken(principal?: Principal): IssuedToken;
  /** Resolves when everything that has changed by now survives a crash; rejects when it could not be stored. */
  kept(): Promise<void>;
  /** Ends what it does by itself and writes what is left to the store. */
  close(): void;
}

/** Creates a simulated Azure, or goes on with the one in the store. */
export function createAzure({ env, clock, seed, store, settings: given }: AzureOptions): Azure {
  const time = clock ?? env.clock;
  const settings = completeSettings(given);
  const saved = store?.load();
  const core = createCore({
    seed: saved?.position.seed ?? seed ?? env.uuid(),
    settings,
    isStored: store !== undefined,
  });
  const keeper = new Keeper(core, store);
  if (saved) restore(core, saved);
  else begin(core, keeper, time);
  const waker = new Waker(core, keeper, time);
  const changed = (): void => {
    waker.arm();
    // Nobody waits for what is done by hand; the next request is told if the store fails.
    keeper.keep().catch(() => undefined);
  };
  const control = new Control(core, { time, ...(clock && { clock }), changed });
  const answer: AzureHandler = async (request, caller) => {
    // A copy would ask for the signal, which is made for whoever asks and is expensive.
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
    close: () => {
      waker.stop();
      keeper.flush();
    },
  };
}

/** Something that was not kept did not happen, as far as the caller may rely on it. */
function notStored(error: unknown): Answer {
  const message = `The change could not be stored: ${(error as Error).message}`;
  return reply(500, { error: { code: "InternalServerError", message } });
}

/** Begins the time of a new cloud, and keeps its seed at once: killed before anybody asks, it comes back as the same. */
function begin(core: Core, keeper: Keeper, time: Clock): void {
  core.advance(Math.floor(time.now()));
  keeper.flush();
}

/** Wakes the cloud when something is due in it, so that it happens although nobody asks. */
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

  /** Sets the timer for what is due next, unless it is set for that or something earlier. */
  arm(): void {
    const dueMs = this.#core.nextDueMs();
    if (dueMs === undefined || dueMs >= this.#armedMs) return;
    this.stop();
    this.#armedMs = dueMs;
    this.#timer = this.#time.timer(dueMs - this.#time.now(), () => this.#wake());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#armedMs = Infinity;
  }

  #wake(): void {
    // A timer may fire a moment early; that moment must not be waited for again and again.
    this.#core.advance(Math.max(Math.floor(this.#time.now()), this.#armedMs));
    this.#armedMs = Infinity;
    // A store that fails tells the next caller; there is nobody here to tell.
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
