import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type Link,
  Scheduler,
  VirtualProcess,
} from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import { Budget } from "./arm/budget.ts";
import { createArm } from "./arm/client.ts";
import { createExchange } from "./arm/exchange.ts";
import type { TokenSource } from "./credentials/token-source.ts";
import { Meter } from "./meter.ts";
import type { Arm } from "./port.ts";

export const SUBSCRIPTION = "00000000-0000-0000-0000-000000000000";
export const SCALE_SET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
/** The endpoint of the simulated Azure in tests. */
export const ENDPOINT = "https://management.azure.com";

/** An answer of Azure. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): HttpResponse {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers,
    json: async () => JSON.parse(text) as unknown,
    text: async () => text,
    lines: () => {
      throw new TypeError("this answer is not a stream");
    },
  };
}

/** A world in virtual time with one process and one server. */
export class Bench {
  readonly scheduler: Scheduler;
  readonly meter = new Meter();
  readonly budget = new Budget();
  /** Every request that reached the server. */
  readonly requests: HttpRequest[] = [];
  process: VirtualProcess;
  readonly #handler: Handler;

  constructor(handler: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>, seed = "bench") {
    this.scheduler = new Scheduler({ seed });
    this.process = new VirtualProcess(this.scheduler, "first");
    this.#handler = async (request) => {
      this.requests.push(request);
      return handler(request);
    };
  }

  /** A client in the current process. */
  arm({ tokens = staticTokens(), link = {} }: { tokens?: TokenSource; link?: Link } = {}): Arm {
    const transport = this.process.connect(this.#handler, link);
    const env = this.process;
    return createArm({
      exchange: createExchange({ endpoint: ENDPOINT, connect: () => transport, tokens, env }),
      endpoint: ENDPOINT,
      principal: tokens.principal,
      budget: this.budget,
      meter: this.meter,
      clock: env.clock,
      controller: "test",
    });
  }

  /** Advances time until the promise is settled. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.scheduler.run({ until: () => isSettled });
    return promise;
  }

  /** The error that a promise is rejected with. */
  async failure(promise: Promise<unknown>): Promise<unknown> {
    return this.run(
      promise.then(
        () => {
          throw new Error("expected a failure");
        },
        (error: unknown) => error,
      ),
    );
  }
}

/** Tokens that never expire. */
export function staticTokens(): TokenSource & { forgotten: number } {
  const source = {
    principal: "tenant/client",
    forgotten: 0,
    token: () => Promise.resolve(new Sensitive("token-of-the-test")),
    forget: () => {
      source.forgotten++;
    },
  };
  return source;
}
