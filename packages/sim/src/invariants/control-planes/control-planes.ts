import type { Invariant } from "../invariant.ts";
import { recordsBeforeCreation } from "./recorded-machines.ts";
import { oneMemberAtATime, quorumIsKept } from "./etcd-members.ts";

/** The invariants of worlds in which machines run control planes. */
export const CONTROL_PLANE_INVARIANTS: readonly Invariant[] = [
  oneMemberAtATime,
  quorumIsKept,
  recordsBeforeCreation,
];
