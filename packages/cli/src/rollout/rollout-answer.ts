import { inTheWay } from "./obstacles.ts";
import type { RolloutState } from "./rollout-state.ts";

/** The state of a rollout for programs. */
export interface RolloutAnswer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: "RolledOut" | "Waiting" | "Failed";
  readonly machines: {
    readonly desired: number;
    readonly upToDate: number;
    readonly outdated: number;
    readonly available: number;
    readonly updating?: number;
    readonly leaving?: number;
  };
  /** Why it has failed, or what is in the way. */
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
}

/** The state of a pool's rollout as an object. */
export function rolloutAnswer(state: RolloutState): RolloutAnswer {
  const { isDone, failure, plan, parts } = state;
  const { apiVersion, kind, metadata } = parts.pool;
  const { desired, upToDate, outdated, available, updating, leaving } = plan.budget;
  return {
    apiVersion,
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    state: failure !== undefined ? "Failed" : isDone ? "RolledOut" : "Waiting",
    machines: { desired, upToDate, outdated, available, updating, leaving },
    causes: [
      ...(failure === undefined ? [] : [{ reason: "Failed", message: failure }]),
      ...inTheWay(state).map(({ reason, message }) => ({ reason, message })),
    ],
  };
}
