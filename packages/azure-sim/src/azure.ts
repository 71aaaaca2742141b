import {
  type Env,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type Timer,
  TransportError,
} from "@capstan/env";
import { type Answer, reply } from "./arm/answer.ts";
import { Control } from "./control/control.ts";
import { controlAnswer } from "./control/routes.ts";
import type { SimRequest } from "./core/call.ts";
import { type Core, createCore } from "./core/core.ts";
import { SimClock } from "./core/sim-clock.ts";
import { ARM_AUDIENCES, type IssuedToken } from "./entra/tokens.ts";
import { type AzureSettings, completeSettings, DEFAULT_PRINCIPAL, type Principal } from "./settings.ts";
import { Keeper } from "./store/keeper.ts";
import { restore } from "./store/restore.ts";
import type { Store } from "./store/store.ts";

/** What a simulated Azure is made of. */
export interface AzureOptions {
  readonly env: Env;
  /** Decides everything random. A store brings its own; otherwise a fresh one unless told. */
  readonly seed?: string;
  /** Keeps the cloud; without it the cloud ends with the process. */
  readonly store?: Store;
  readonly settings?: Partial<AzureSettings>;
}

/** A request with how it came in: what the HTTP adapters know and in-process callers do not have. */
export type AzureHandler = (request: HttpRequest, origin?: string) => Promise<HttpResponse>;

/** A simulated Azure in this process. */
export interface Azure {
  /** Answers requests to ARM, Entra, the metadata service and, with its token, the control API. */
  readonly handle: AzureHandler & Handler;
  readonly core: Core;
  /** What happens from outside of ARM: time, faults, other people. */
  readonly control: Control;
  /** A token for ARM, without the way through Entra. */
  issueToken(principal?: Principal): IssuedToken;
  /** Ends what it does by itself and writes what is left to the store. */
  close(): void;
}

/** Creates a simulated Azure, or goes on with the one in the store. */
export function createAzure({ env, seed, store, settings: given }: AzureOptions): Azure {
  const settings = completeSettings(given);
  const saved = store?.load();
  const core = createCore({
    seed: saved?.position.seed ?? seed ?? env.uuid(),
    settings,
    isStored: store !== undefined,
  });
  if (saved) restore(core, saved);
  const clock = new SimClock(env.clock, startOf(env, saved?.position));
  const keeper = new Keeper(core, { store, env, clock });
  const waker = new Waker(env, core, { clock, keeper });
  const control = new Control(core, clock, () => {
    waker.arm();
    // Nobody waits for what is done by hand; the next request is told if the store fails.
    keeper.keep().catch(() => undefined);
  });
  const answer = async (request: HttpRequest, origin?: string): Promise<HttpResponse> => {
    const asked: SimRequest = origin === undefined ? request : { ...request, origin };
    const answered = controlAnswer(asked, control, settings.controlToken) ?? core.handle(asked, clock.now());
    waker.arm();
    const problem = await keeper.keep().then(() => undefined, notStored);
    if (problem) return responseOf(problem, clock.speed);
    if (answered.delayMs !== undefined) await env.clock.sleep(clock.realMs(answered.delayMs), request.signal);
    if (answered.isLost === true) throw new TransportError("reset", "the simulated connection broke");
    return responseOf(answered, clock.speed);
  };
  waker.arm();
  return {
    handle: answer,
    core,
    control,
    issueToken: (principal = settings.principals[0] ?? DEFAULT_PRINCIPAL) =>
      core.tokens.issue(principal, ARM_AUDIENCES[0] ?? "", { nowMs: clock.now(), speed: clock.speed }),
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

/** The cloud went on while nobody looked: time has passed for it as for everybody, at its own speed. */
function startOf(
  env: Env,
  saved: { simMs: number; wallMs: number; speed: number } | undefined,
): { simMs: number; speed: number } {
  if (!saved) return { simMs: env.clock.now(), speed: 1 };
  const passedMs = Math.max(0, env.clock.now() - saved.wallMs);
  return { simMs: saved.simMs + passedMs * saved.speed, speed: saved.speed };
}

/** Wakes the cloud when something is due in it, so that it happens although nobody asks. */
class Waker {
  readonly #env: Env;
  readonly #core: Core;
  readonly #clock: SimClock;
  readonly #keeper: Keeper;
  #timer: Timer | undefined;
  #armedMs = Infinity;
  #armedSpeed = 1;

  constructor(
    env: Env,
    core: Core,
    { clock, keeper }: { readonly clock: SimClock; readonly keeper: Keeper },
  ) {
    this.#env = env;
    this.#core = core;
    this.#clock = clock;
    this.#keeper = keeper;
  }

  /** Sets the timer for what is due next, unless it is set for that or something earlier. */
  arm(): void {
    const dueMs = this.#core.nextDueMs();
    if (dueMs === undefined || (dueMs >= this.#armedMs && this.#clock.speed === this.#armedSpeed)) return;
    this.stop();
    this.#armedMs = dueMs;
    this.#armedSpeed = this.#clock.speed;
    this.#timer = this.#env.clock.timer(this.#clock.realMs(dueMs - this.#clock.now()), () => this.#wake());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#armedMs = Infinity;
  }

  #wake(): void {
    // A timer may fire a moment early; that moment must not be waited for again and again.
    this.#core.advance(Math.max(this.#clock.now(), this.#armedMs));
    this.#armedMs = Infinity;
    // A store that fails tells the next caller; there is nobody here to tell.
    this.#keeper.keep().catch(() => undefined);
    this.arm();
  }
}

function responseOf({ status, headers, body }: Answer, speed: number): HttpResponse {
  const shown: Record<string, string> = { ...headers };
  const wait = shown["retry-after"];
  // Callers live in their own time; to them a fast cloud is done sooner.
  if (wait !== undefined && speed !== 1)
    shown["retry-after"] = String(Math.max(1, Math.ceil(Number(wait) / speed)));
  if (body !== undefined) shown["content-type"] = "application/json; charset=utf-8";
  return {
    status,
    headers: shown,
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(body === undefined ? "" : JSON.stringify(body)),
    async *lines() {
      if (body !== undefined) yield body;
    },
  };
}
