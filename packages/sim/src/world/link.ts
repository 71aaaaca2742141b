import type { FaultEffect } from "@capstan/azure-sim";
import {
  type Fate,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type Rng,
  type Transport,
  TransportError,
  type VirtualProcess,
} from "@capstan/env";
import type { CallEffect } from "../faults/effect.ts";
import type { Faults, Struck } from "../faults/faults.ts";
import type { Trace } from "../trace/trace.ts";
import { actorOf, type Call, type Way } from "./call.ts";
import { troubledLines } from "./troubled-lines.ts";

/** A server of a world. */
export interface Server {
  /** `management`, `azure`, or the name of a workload cluster. */
  readonly name: string;
  readonly handle: Handler;
  readonly callOf: (request: HttpRequest, way: Way) => Call;
  /** Runs for each request, right after it was sent and again with its answer. */
  readonly heard?: (call: Call) => void;
  /** Carries out a request under a fault rule of the server. */
  readonly ruled?: (rule: FaultEffect, carryOut: () => Promise<HttpResponse>) => Promise<HttpResponse>;
  readonly answered?: (call: Call, response: HttpResponse) => void;
}

/** Observes all calls and answers of a world. */
export interface CallObserver {
  called(call: Call): void;
  answered(call: Call, response: HttpResponse): void;
}

/** The options of links. */
export interface LinkOptions {
  readonly trace: Trace;
  readonly faults: Faults;
  /** Delays events of watches; its process outlives all others. */
  readonly network: VirtualProcess;
  readonly observer: CallObserver;
}

/** One-way latency: milliseconds in a data centre, different for each message. */
const latencyMs = (rng: Rng): number => 1 + rng.next() * 4;
const UNTROUBLED = { latencyMs };

interface TestedCall {
  readonly process: VirtualProcess;
  readonly server: Server;
  readonly call: Call;
}

interface Order {
  readonly server: Server;
  readonly call: Call;
  readonly rule?: FaultEffect | undefined;
}

/** The network of a world: every call passes here, is recorded, and may be hit by a fault. */
export class Links {
  readonly #options: LinkOptions;
  /** The first answer to each list: what a lagging server would still return. */
  readonly #firstLists = new Map<string, HttpResponse>();
  /** Lists whose next answer comes from a lagging server. */
  readonly #behind = new Set<string>();

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** A connection without faults, which no invariant observes. */
  connect(process: VirtualProcess, server: Server): Transport {
    return this.#transport(process, server, false);
  }

  /** A connection of a process under test: its calls are observed, and may be hit by faults. */
  connectTroubled(process: VirtualProcess, server: Server): Transport {
    return this.#transport(process, server, true);
  }

  #transport(process: VirtualProcess, server: Server, isTested: boolean): Transport {
    return {
      request: (request) => {
        const call = callOf(process.name, server, request);
        if (isTested && !process.crashed) return this.#test({ process, server, call }, request);
        const handler: Handler = (one) => this.#carryOut({ server, call }, one);
        return process.send(request, handler, UNTROUBLED);
      },
      close: () => Promise.resolve(),
    };
  }

  /** A call of a process under test: invariants observe it, and a fault may hit it. */
  #test({ process, server, call }: TestedCall, request: HttpRequest): Promise<HttpResponse> {
    const { observer, faults } = this.#options;
    observer.called(call);
    const trouble = faults.onCall(call);
    if (trouble) this.#note(call, trouble);
    const effect = trouble?.effect;
    const handler =
      effect?.kind === "answer" ? this.#lying(server, call, effect) : this.#honest(server, call, effect);
    const fate = fateOf(effect);
    const answer = process.send(request, handler, { latencyMs, fate: () => fate });
    if (effect?.kind === "stall") process.stall(effect.forMs);
    return answer;
  }

  #honest(server: Server, call: Call, effect: CallEffect | undefined): Handler {
    const rule = effect?.kind === "rule" ? effect.rule : undefined;
    return async (request) => {
      const response = await this.#carryOut({ server, call, rule }, request);
      this.#options.observer.answered(call, response);
      const isStream = call.verb === "watch" && response.status === 200;
      return isStream ? this.#troubled(call, request, response) : response;
    };
  }

  /** A response in place of the server's, with or without the request's effect. */
  #lying(server: Server, call: Call, effect: CallEffect & { readonly kind: "answer" }): Handler {
    return async (request) => {
      if (effect.isApplied) await this.#carryOut({ server, call }, request);
      const response = jsonAnswer(effect);
      this.#options.observer.answered(call, response);
      return response;
    };
  }

  async #carryOut({ server, call, rule }: Order, request: HttpRequest): Promise<HttpResponse> {
    const answering =
      rule && server.ruled
        ? server.ruled(rule, () => this.#serve(server, call, request))
        : this.#serve(server, call, request);
    server.heard?.(call);
    const response = await answering;
    server.answered?.(call, response);
    return response;
  }

  async #serve(server: Server, call: Call, request: HttpRequest): Promise<HttpResponse> {
    // Only a list with resourceVersion 0 may return old objects; every other list returns the newest.
    const takesOld = call.verb === "list" && /[?&]resourceVersion=0(&|$)/.test(request.path);
    if (!takesOld) return server.handle(request);
    const key = selectionOf(server.name, request);
    const first = this.#firstLists.get(key);
    if (first && this.#behind.delete(key)) return first;
    const response = await server.handle(request);
    if (!first && response.status === 200) this.#firstLists.set(key, response);
    return response;
  }

  #troubled(call: Call, request: HttpRequest, response: HttpResponse): HttpResponse {
    const { faults, network, trace } = this.#options;
    const next = (): ReturnType<Faults["onLine"]> => {
      const trouble = faults.onLine(call);
      if (trouble) {
        const { fault, effect } = trouble;
        trace.record("world", {
          kind: "fault",
          fault,
          text: `${effect.kind} in the watch of ${call.resource} by ${call.process}`,
        });
        if (effect.kind === "expire" && effect.isBehind) this.#behind.add(selectionOf(call.server, request));
      }
      return trouble;
    };
    return { ...response, lines: () => troubledLines(response.lines(), network, () => next()?.effect) };
  }

  #note(call: Call, { fault, effect }: Struck<CallEffect>): void {
    const text = `${describe(effect)}: ${call.verb} ${call.resource} ${call.name} by ${actorOf(call)}`;
    this.#options.trace.record("world", { kind: "fault", fault, text });
  }
}

/** The objects of a list or watch: a watch continues from the list of the same objects. */
function selectionOf(server: string, { path }: HttpRequest): string {
  const [location = "", query = ""] = path.split("?");
  const asked = new URLSearchParams(query);
  const selectors = ["labelSelector", "fieldSelector"].map((name) => asked.get(name) ?? "");
  return [server, location, ...selectors].join(" ");
}

function callOf(process: string, server: Server, request: HttpRequest): Call {
  const agent = request.headers["user-agent"] ?? "";
  const slash = agent.indexOf("/");
  const by = slash < 0 ? process : agent.slice(slash + 1);
  return server.callOf(request, { process, by, server: server.name });
}

function fateOf(effect: CallEffect | undefined): Fate {
  if (effect?.kind === "crash") return effect.isApplied ? "crashAfter" : "crashBefore";
  if (effect?.kind !== "reset") return "deliver";
  const error = new TransportError("reset", "the simulated connection broke");
  return effect.isApplied ? { answerLost: error } : error;
}

function describe(effect: CallEffect): string {
  const when = "isApplied" in effect && effect.isApplied ? "after it was carried out" : "without effect";
  switch (effect.kind) {
    case "crash":
      return `crash, the call ${effect.isApplied ? "is carried out" : "is never sent"}`;
    case "reset":
      return `connection lost ${when}`;
    case "answer":
      return `answered ${effect.status} ${when}`;
    case "rule":
      return `Azure goes wrong (${effect.rule.kind})`;
    case "stall":
      return `the process stands still for ${effect.forMs / 1000} s`;
  }
}

function jsonAnswer({ status, headers = {}, body }: CallEffect & { readonly kind: "answer" }): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    async *lines() {
      yield body;
    },
  };
}
