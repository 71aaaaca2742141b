const PROVIDER_PREFIX = "azure://";
const MACHINES = "/virtualmachines/";
const SCALE_SETS = "/virtualmachinescalesets/";

/** The machine id in a provider id: the ARM id in lower case. Undefined for what is not on Azure. */
export function machineIdIn(providerID: string | undefined): string | undefined {
  if (providerID === undefined || !providerID.startsWith(PROVIDER_PREFIX)) return undefined;
  return providerID.slice(PROVIDER_PREFIX.length).toLowerCase();
}

/** The machine id of an instance of a scale set. */
export function instanceMachineId(scaleSetId: string, instance: string | number): string {
  return `${scaleSetId}${MACHINES}${instance}`.toLowerCase();
}

/** The ARM id, in lower case, of the scale set that a machine is an instance of; undefined for any other machine. */
export function scaleSetOf(machineId: string): string | undefined {
  const end = machineId.lastIndexOf(MACHINES);
  if (end < 0) return undefined;
  const set = machineId.slice(0, end);
  return set.endsWith(SCALE_SETS, set.lastIndexOf("/") + 1) ? set : undefined;
}

/** A machine as people speak of it: `SET/INSTANCE` for an instance of a scale set, else its name. */
export function machineLabel(machineId: string): string {
  const name = lastPart(machineId);
  const set = scaleSetOf(machineId);
  return set === undefined ? name : `${lastPart(set)}/${name}`;
}

/** The last part of an ARM id: the name of the resource. */
export function lastPart(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}
