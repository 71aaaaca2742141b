import {
  deepEqual,
  type Frozen,
  type KubernetesObject,
  type MachinePool,
  REPLICAS_MANAGED_BY_ANNOTATION,
} from "@capstan/api";
import { metadataChanged } from "@capstan/runtime";

/** A pool of any kind. */
type Pool = Frozen<KubernetesObject & { spec: { providerIDList?: string[] } }>;

/** The desired spec of a pool. The spec also contains the ids of its machines, because Cluster API reads them there; they are observed, not desired. */
export function poolSpecOf({ spec }: Pool): object {
  const { providerIDList: _, ...rest } = spec;
  return rest;
}

/** Whether the desired spec of a pool has changed. */
export function specChanged(before: Pool, after: Pool): boolean {
  return (
    before.metadata.generation !== after.metadata.generation &&
    !deepEqual(poolSpecOf(before), poolSpecOf(after))
  );
}

/** Whether more than the status and the machine ids of a pool has changed. */
export function isMoreThanMachines(before: Pool, after: Pool): boolean {
  return specChanged(before, after) || metadataChanged(before, after);
}

/** Whether another client, such as an autoscaler, sets the number of machines. As in Cluster API, any value but false counts. */
export function isExternallyScaled({ metadata }: Frozen<MachinePool>): boolean {
  const value = metadata.annotations?.[REPLICAS_MANAGED_BY_ANNOTATION];
  return value !== undefined && value !== "false";
}
