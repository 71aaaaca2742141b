import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import { type Env, type Fate, type Handler, type HttpRequest, Scheduler, VirtualProcess } from "@capstan/env";
import { type Client, createClient } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import { silentLogger } from "../log/logger.ts";
import type { Reconciler } from "../reconciler/reconciler.ts";
import { Runner } from "../runner/runner.ts";

export interface WorldOptions {
  readonly seed?: string;
  /** Creates the API server, in its own process. */
  readonly server: (env: Env) => Handler;
  /** Creates the controllers for each start of the manager, in the environment of that process. */
  readonly reconcilers: (manager: VirtualProcess) => readonly Reconciler[];
  readonly lease?: { readonly name: string; readonly namespace: string };
  /** How far the manager's watches lag, for each event. */
  readonly watchLagMs?: number;
  /** Decides the fate of each request of the manager to the API server. */
  readonly fate?: (request: HttpRequest) => Fate;
  readonly onStep?: (monotonicMs: number, label: string) => void;
}

export interface SettleOptions {
  /** Virtual time without a write after which the controllers count as settled. */
  readonly quietMs?: number;
  /** The maximum virtual time. */
  readonly limitMs?: number;
}

const MINUTE_MS = 60_000;

/** Controllers and an API server on one virtual clock: a test applies, settles and expects, without real waits. */
export class ControllerTestBed {
  readonly scheduler: Scheduler;
  /** The client of the user. */
  readonly client: Client;
  /** Every write of the managers that was sent, as `PATCH /path`. */
  readonly writes: string[] = [];
  readonly #options: WorldOptions;
  readonly #handler: Handler;
  #manager: VirtualProcess | undefined;
  #runner: Runner | undefined;
  #starts = 0;
  #lastWriteMs = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    const { seed = "1", onStep } = options;
    this.scheduler = new Scheduler({ seed, ...(onStep && { onStep }) });
    this.#handler = options.server(new VirtualProcess(this.scheduler, "apiserver"));
    const user = new VirtualProcess(this.scheduler, "user");
    this.client = createClient({ transport: user.connect(this.#handler), env: user, fieldManager: "user" });
  }

  /** The running manager. */
  get runner(): Runner {
    if (!this.#runner) throw new TypeError("no manager runs; call start() first");
    return this.#runner;
  }

  /** The process the manager runs in. */
  get manager(): VirtualProcess {
    if (!this.#manager) throw new TypeError("no manager runs; call start() first");
    return this.#manager;
  }

  /** Starts a manager in a new process. */
  start(): void {
    this.#starts++;
    const manager = new VirtualProcess(this.scheduler, `manager-${this.#starts}`);
    const { lease, watchLagMs } = this.#options;
    const transport = manager.connect(this.#handler, {
      fate: (request) => this.#observe(request),
      ...(watchLagMs !== undefined && { lineLatencyMs: () => watchLagMs }),
    });
    const runner = new Runner({
      env: manager,
      transport,
      log: silentLogger,
      name: "capstan",
      reconcilers: this.#options.reconcilers(manager),
      ...(lease && { lease }),
    });
    this.#manager = manager;
    this.#runner = runner;
    runner.start().catch((error: unknown) => this.scheduler.fail(error));
  }

  /** Advances virtual time until the promise has settled, and returns its result. */
  async run<R>(promise: Promise<R>): Promise<R> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    // The result is awaited below; without this a rejection during the run would count as unhandled.
    done.catch(() => undefined);
    await this.scheduler.run({ until: () => settled });
    return done;
  }

  /** Creates the object, or updates it if it exists. */
  async apply<T extends KubernetesObject>(kind: Kind<T>, object: T): Promise<Frozen<T>> {
    const known = await this.run(this.client.find(kind, object.metadata));
    if (!known) return this.run(this.client.create(kind, object));
    return this.run(this.client.patch(kind, object.metadata, { type: "merge", body: object }));
  }

  /** Reads the object from the server. */
  get<T extends KubernetesObject>(kind: Kind<T>, name: ObjectName): Promise<Frozen<T>> {
    return this.run(this.client.get(kind, name));
  }

  /** Runs until the controllers have no work and have not written for a while; throws at the limit. */
  async settle({ quietMs = MINUTE_MS, limitMs = 60 * MINUTE_MS }: SettleOptions = {}): Promise<void> {
    const untilMs = this.scheduler.monotonicMs + limitMs;
    this.#lastWriteMs = this.scheduler.monotonicMs;
    const isQuiet = (): boolean =>
      this.manager.crashed || (this.scheduler.monotonicMs - this.#lastWriteMs >= quietMs && this.#isIdle());
    await this.scheduler.run({ until: isQuiet, untilMs });
    if (isQuiet()) return;
    const recent = this.writes.slice(-5).join("; ");
    throw new Error(
      `not settled after ${limitMs / MINUTE_MS} virtual minutes; last writes: ${recent || "none"}`,
    );
  }

  #isIdle(): boolean {
    return (
      this.runner.unready().length === 0 &&
      this.runner.controllers.every(({ queue }) => queue.depth + queue.active === 0)
    );
  }

  /** Records each write, except renewals of a Lease. */
  #observe(request: HttpRequest): Fate {
    if (request.method !== "GET" && !request.path.includes("/leases")) {
      this.writes.push(`${request.method} ${request.path}`);
      this.#lastWriteMs = this.scheduler.monotonicMs;
    }
    return this.#options.fate?.(request) ?? "deliver";
  }
}
