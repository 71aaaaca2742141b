import type { Call, Invariant } from "@capstan/sim";

/** Requests of managers, as sent. */
export interface Recorded {
  readonly calls: readonly Call[];
  readonly invariant: Invariant;
}

/** Records every request of the managers to any server. */
export function recorded(): Recorded {
  const calls: Call[] = [];
  const called = (call: Call): undefined => void calls.push(call);
  const says = "nothing: it only keeps what is asked";
  return { calls, invariant: { name: "recorder", says, watch: () => ({ called }) } };
}
