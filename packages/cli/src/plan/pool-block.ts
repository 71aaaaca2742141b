import { AzureMachinePool, type Frozen } from "@capstan/api";
import type { Blocked } from "@capstan/manager";

/** What stands in the way of a pool and is not the planner's to say: it is not asked then, or cannot know. */
export interface PoolBlock extends Omit<Blocked, "reason"> {
  readonly reason: "NoMachinePool" | "Refused" | "BeingDeleted" | "RemovalBlocked" | "NoCluster";
}

/** The fields by which a plan says which pool it is about. */
export function objectOf({ metadata }: Frozen<AzureMachinePool>): Pick<PoolBlock, "controller" | "object"> {
  const { name, namespace = "default" } = metadata;
  return { controller: "azuremachinepool", object: { kind: AzureMachinePool.kind, namespace, name } };
}
