import { AzureMachinePool, type Frozen } from "@capstan/api";
import type { Blocked } from "@capstan/manager";

/** What stands in the way of a pool and is not the planner's to say: there was nothing to plan with, or Azure said no. */
export interface PoolBlock extends Omit<Blocked, "reason"> {
  readonly reason: "NoMachinePool" | "Refused";
}

/** The fields by which a plan says which pool it is about. */
export function objectOf({ metadata }: Frozen<AzureMachinePool>): Pick<PoolBlock, "controller" | "object"> {
  const { name, namespace = "default" } = metadata;
  return { controller: "azuremachinepool", object: { kind: AzureMachinePool.kind, namespace, name } };
}
