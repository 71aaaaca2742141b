import type { HttpResponse } from "@capstan/env";
import type { TraceEvent } from "../trace/trace-event.ts";
import type { Call } from "../world/call.ts";
import type { Truth } from "../world/truth.ts";

/** What an invariant observes while a world runs. Each method returns the violation, or undefined. */
export interface InvariantView {
  /** A process under test sends a request. */
  called?(call: Call, atMs: number): string | undefined;
  /** A server answers a process under test. */
  answered?(call: Call, response: HttpResponse, atMs: number): string | undefined;
  /** A process under test writes a log line. */
  logged?(line: string): string | undefined;
  /** A trace event. */
  happened?(event: TraceEvent): string | undefined;
  /** The world is at rest: no process is about to act. */
  atRest?(): string | undefined;
}

/** A statement that must hold in every state of every run, under any faults. */
export interface Invariant {
  readonly name: string;
  /** The statement, in one sentence. */
  readonly says: string;
  /** Observes one run. */
  readonly watch: (truth: Truth) => InvariantView;
}

/** A violated invariant. */
export class ViolationError extends Error {
  override readonly name = "ViolationError";
  readonly invariant: Pick<Invariant, "name" | "says">;
  constructor(invariant: Pick<Invariant, "name" | "says">, text: string) {
    super(`${invariant.name}: ${text}`);
    this.invariant = invariant;
  }
}
