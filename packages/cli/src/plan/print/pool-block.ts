import { AzureMachinePool, type Frozen } from "@capstan/api";
import type { Blocked } from "@capstan/plan";

/**
 * A block of a pool that the planner does not know: the controllers do not call it then, or it cannot see the cause.
 */
export interface PoolBlock extends Omit<Blocked, "reason"> {
  readonly reason:
    | "NoMachinePool"
    | "Refused"
    | "BeingDeleted"
    | "RemovalBlocked"
    | "NoCluster"
    | "KubernetesVersionSkew";
}

/** The fields by which a plan names its pool. */
export function objectOf({ metadata }: Frozen<AzureMachinePool>): Pick<PoolBlock, "controller" | "object"> {
  const { name, namespace = "default" } = metadata;
  return { controller: "azuremachinepool", object: { kind: AzureMachinePool.kind, namespace, name } };
}
