import type { HttpResponse, Scheduler } from "@capstan/env";
import { type Invariant, ViolationError, type InvariantView } from "../invariants/invariant.ts";
import type { Trace } from "../trace/trace.ts";
import type { Call } from "./call.ts";
import type { CallObserver } from "./link.ts";
import { isBookkeeping, type Truth } from "./truth.ts";

/** Shows all calls and events to the invariants; the first violation ends the run. */
export class Checks implements CallObserver {
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;
  #writes = 0;
  readonly #watches: readonly { readonly invariant: Invariant; readonly watch: InvariantView }[];

  constructor(
    invariants: readonly Invariant[],
    {
      scheduler,
      trace,
      truth,
    }: { readonly scheduler: Scheduler; readonly trace: Trace; readonly truth: Truth },
  ) {
    this.#scheduler = scheduler;
    this.#trace = trace;
    this.#watches = invariants.map((invariant) => ({ invariant, watch: invariant.watch(truth) }));
    trace.onEvent((event) => {
      if (event.happening.kind !== "violation") this.#ask((watch) => watch.happened?.(event));
    });
  }

  /** How many writes the processes under test have sent, without bookkeeping. */
  get writes(): number {
    return this.#writes;
  }

  called(call: Call): void {
    if (call.isWrite && !isBookkeeping(call.resource)) this.#writes++;
    this.#ask((watch) => watch.called?.(call, this.#scheduler.monotonicMs));
  }

  answered(call: Call, response: HttpResponse): void {
    this.#ask((watch) => watch.answered?.(call, response, this.#scheduler.monotonicMs));
  }

  /** Whether an invariant reads the log: writing unread lines costs time. */
  get readsLog(): boolean {
    return this.#watches.some(({ watch }) => "logged" in watch);
  }

  logged(line: string): void {
    this.#ask((watch) => watch.logged?.(line));
  }

  /** The world is at rest: checks what must hold then. */
  atRest(): void {
    this.#ask((watch) => watch.atRest?.());
  }

  #ask(problemOf: (watch: InvariantView) => string | undefined): void {
    for (const { invariant, watch } of this.#watches) {
      const text = problemOf(watch);
      if (text === undefined) continue;
      this.#trace.record("world", { kind: "violation", invariant: invariant.name, text });
      this.#scheduler.fail(new ViolationError(invariant, text));
    }
  }
}
