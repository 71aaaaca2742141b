import {
  AzureMachine,
  AzureMachinePool,
  type AzureMachinePoolMachine,
  type Condition,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  type Machine,
} from "@capstan/api";
import type { CacheReader, ObjectName } from "@capstan/runtime";
import type { NewMachine } from "@capstan/plan";
import { cloneSourceOf } from "../../../contract/clone-template.ts";
import { NODE_HEALTHY } from "../../../machines/conditions.ts";
import { BOOTSTRAP_SUCCEEDED } from "../../../pools/machine-conditions.ts";
import { poolNameOf } from "../../../pools/machines-of-pool.ts";
import { NODE_NOT_JOINED } from "../../../workload/overdue-join.ts";

/** Reasons of machines that run and are no Node. Without quota or capacity a machine does not run, and has none of them. */
const FAILED: ReadonlySet<string> = new Set([NODE_NOT_JOINED, "BootstrapFailed"]);

/** What became of a machine, by its condition about the join. */
export function joinOf(conditions: readonly Condition[] | undefined, type: string): NewMachine["join"] {
  const condition = getCondition(conditions, type);
  if (condition?.status === "True") return "joined";
  return FAILED.has(condition?.reason ?? "") ? "failed" : "pending";
}

/** The pool of a machine that failed to join, if it boots machines from an image of its own. */
export function poolOfFailed(
  machine: Frozen<AzureMachinePoolMachine>,
  cache: CacheReader,
): readonly ObjectName[] {
  if (!hasFailed(machine)) return [];
  const place = { name: poolNameOf(machine), namespace: machine.metadata.namespace };
  const pool = cache.get(AzureMachinePool, place);
  return pool?.status?.nodePrototyping?.bootImage ? [pool.metadata] : [];
}

/** The same for the template of a Machine. */
export function templateOfFailed(machine: Frozen<Machine>, cache: CacheReader): readonly ObjectName[] {
  const { namespace } = machine.metadata;
  const { kind, name } = machine.spec.infrastructureRef;
  if (!hasFailedMachine(machine) || kind !== AzureMachine.kind) return [];
  const clone = cache.get(AzureMachine, { name, namespace });
  const source = clone && cloneSourceOf(clone.metadata);
  return source ? [{ name: source.name, namespace }] : [];
}

/** Whether a machine failed to join. */
export function hasFailed({ status }: Frozen<AzureMachinePoolMachine>): boolean {
  return joinOf(status?.conditions, BOOTSTRAP_SUCCEEDED) === "failed";
}

/** Whether a Machine failed to join. */
export function hasFailedMachine(machine: Frozen<Machine>): boolean {
  return joinOf(deprecatedConditionsOf(machine), NODE_HEALTHY) === "failed";
}
