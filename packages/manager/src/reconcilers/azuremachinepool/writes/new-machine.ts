import { type AzureMachinePoolMachine, CLUSTER_NAME_LABEL, MachinePool, POOL_NAME_LABEL } from "@capstan/api";
import { machineResourceName } from "@capstan/plan";
import { poolReferenceTo } from "../../../pools/machines-of-pool.ts";
import { currentName } from "../model/hash.ts";
import type { NormalScope, Pass } from "../scope.ts";
import {
  IMAGE_VERSION_ANNOTATION,
  MACHINE_FINALIZER,
  MACHINE_POOL_LABEL,
  MODEL_HASH_ANNOTATION,
  SURGE_ANNOTATION,
  UNKNOWN_MODEL,
} from "../../../pools/well-known.ts";

/** The facts about an instance that gets a resource. */
interface InstanceToAdopt {
  readonly instanceID: string;
  readonly providerID: string;
  readonly modelHash?: string;
  readonly imageVersion?: string;
  /** It exists only while others are updated in place. */
  readonly isSurge?: boolean;
}

/** The resource for an instance. */
export function newMachine(
  { pool, desired }: Pick<Pass, "pool"> & { readonly desired?: NormalScope["desired"] | undefined },
  { instanceID, providerID, modelHash = UNKNOWN_MODEL, imageVersion, isSurge = false }: InstanceToAdopt,
): Omit<AzureMachinePoolMachine, "apiVersion" | "kind"> {
  const { name, namespace = "" } = pool.metadata;
  return {
    metadata: {
      name: machineResourceName(name, instanceID),
      namespace,
      labels: labelsOf(pool),
      annotations: {
        [MODEL_HASH_ANNOTATION]: desired ? currentName(modelHash, desired.hash) : modelHash,
        ...(imageVersion !== undefined && { [IMAGE_VERSION_ANNOTATION]: imageVersion }),
        ...(isSurge && { [SURGE_ANNOTATION]: "" }),
      },
      finalizers: [MACHINE_FINALIZER],
      ownerReferences: [poolReferenceTo(pool)],
    },
    spec: { providerID, instanceID },
  };
}

/** The labels of the owners, from the pool itself: its MachinePool may be gone already. */
function labelsOf({ metadata }: NormalScope["pool"]): Record<string, string> {
  const { name, labels = {}, ownerReferences = [] } = metadata;
  const owner = ownerReferences.find(({ kind }) => kind === MachinePool.kind);
  const clusterName = labels[CLUSTER_NAME_LABEL] ?? "";
  return {
    // CAPZ's: the name of the cluster is the label itself.
    ...(clusterName !== "" && { [clusterName]: "owned" }),
    [CLUSTER_NAME_LABEL]: clusterName,
    [MACHINE_POOL_LABEL]: name,
    [POOL_NAME_LABEL]: owner?.name ?? name,
  };
}
