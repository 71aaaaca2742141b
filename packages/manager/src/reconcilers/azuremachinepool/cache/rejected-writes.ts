import type { Failure } from "@capstan/runtime";

/** A write of the scale set that Azure has rejected. */
export interface RejectedWrite {
  readonly error: Failure;
  readonly retryAtMs: number;
  /** The desired state that was rejected. */
  readonly desiredStateKey: string;
  /** Azure counts too many models: a write of the capacity alone is still possible. */
  readonly isOfModels: boolean;
}

/** The last rejected write of a scale set, until one is accepted; `writes/rejected-writes.ts` keeps it. */
export class RejectedWrites {
  #last: RejectedWrite | undefined;

  get last(): RejectedWrite | undefined {
    return this.#last;
  }

  note(rejected: RejectedWrite): void {
    this.#last = rejected;
  }

  forget(): void {
    this.#last = undefined;
  }
}
