import type { Call, Invariant } from "@capstan/sim";

/** Calls of managers, as they were sent. */
export interface Recorded {
  readonly calls: readonly Call[];
  readonly invariant: Invariant;
}

/** Keeps every call that the managers send, to any server. */
export function recorded(): Recorded {
  const calls: Call[] = [];
  const called = (call: Call): undefined => void calls.push(call);
  const says = "nothing: it only keeps what is asked";
  return { calls, invariant: { name: "recorder", says, watch: () => ({ called }) } };
}
