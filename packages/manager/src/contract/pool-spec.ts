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

/** What is wanted of a pool. The ids of its machines are in its spec too, because Cluster API looks for them there; nobody wants them. */
export function poolSpecOf({ spec }: Pool): object {
  const { providerIDList: _, ...rest } = spec;
  return rest;
}

/** Whether anything else is wanted of a pool. */
export function specChanged(before: Pool, after: Pool): boolean {
  return (
    before.metadata.generation !== after.metadata.generation &&
    !deepEqual(poolSpecOf(before), poolSpecOf(after))
  );
}

/** Whether more has changed than how a pool is doing and which machines it has. */
export function isMoreThanMachines(before: Pool, after: Pool): boolean {
  return specChanged(before, after) || metadataChanged(before, after);
}

/** Whether somebody else, such as an autoscaler, sets the number of machines. As in Cluster API, any value but false counts. */
export function isExternallyScaled({ metadata }: Frozen<MachinePool>): boolean {
  const value = metadata.annotations?.[REPLICAS_MANAGED_BY_ANNOTATION];
  return value !== undefined && value !== "false";
}
