import {
  type AzureMachinePoolMachine,
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  POOL_NAME_LABEL,
} from "@capstan/api";
import { machineResourceName } from "../../rollout/plan.ts";
import { currentName } from "./model-hash.ts";
import type { InstanceFacts } from "./machine-view.ts";
import { needed, type Scope } from "./scope.ts";
import {
  MACHINE_FINALIZER,
  MACHINE_POOL_LABEL,
  MODEL_HASH_ANNOTATION,
  SURGE_ANNOTATION,
  UNKNOWN_MODEL,
} from "./well-known.ts";

/** The resource that stands for an instance from now on, and whether that is only for a while. */
export function newMachine(
  { pool, family, wish }: Scope,
  { instanceID, providerID, modelHash = UNKNOWN_MODEL }: InstanceFacts,
  isSurge: boolean,
): Omit<AzureMachinePoolMachine, "apiVersion" | "kind"> {
  const { machinePool } = needed(family);
  const { name, namespace = "" } = pool.metadata;
  return {
    metadata: {
      name: machineResourceName(name, instanceID),
      namespace,
      labels: {
        [CLUSTER_NAME_LABEL]: machinePool.spec.clusterName,
        [MACHINE_POOL_LABEL]: name,
        [POOL_NAME_LABEL]: machinePool.metadata.name,
      },
      annotations: {
        [MODEL_HASH_ANNOTATION]: currentName(modelHash, needed(wish).hash),
        ...(isSurge && { [SURGE_ANNOTATION]: "" }),
      },
      finalizers: [MACHINE_FINALIZER],
      ownerReferences: [controllerReferenceTo(pool)],
    },
    spec: { providerID, instanceID },
  };
}
