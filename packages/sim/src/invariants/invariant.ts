import type { HttpResponse } from "@capstan/env";
import type { TraceEvent } from "../trace/trace-event.ts";
import type { Call } from "../world/call.ts";
import type { Truth } from "../world/truth.ts";

/** What an invariant looks at while a world runs. Each answer is what is wrong, or nothing. */
export interface InvariantView {
  /** A process under test asks a server. */
  called?(call: Call, atMs: number): string | undefined;
  /** A server answers a process under test. */
  answered?(call: Call, response: HttpResponse, atMs: number): string | undefined;
  /** A process under test writes a line into its log. */
  logged?(line: string): string | undefined;
  /** Something happens. */
  happened?(event: TraceEvent): string | undefined;
  /** All is done: nobody is about to do anything. */
  atRest?(): string | undefined;
}

/** Something that must hold in every state of every run, whatever goes wrong. */
export interface Invariant {
  readonly name: string;
  /** What must hold, in one sentence. */
  readonly says: string;
  /** Looks at one run. */
  readonly watch: (truth: Truth) => InvariantView;
}

/** An invariant does not hold. */
export class ViolationError extends Error {
  override readonly name = "ViolationError";
  readonly invariant: Pick<Invariant, "name" | "says">;
  constructor(invariant: Pick<Invariant, "name" | "says">, text: string) {
    super(`${invariant.name}: ${text}`);
    this.invariant = invariant;
  }
}
