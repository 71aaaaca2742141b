import { CommandError } from "../../command-error.ts";
import { type GivenObjects, titleOf } from "./given-objects.ts";

/**
 * Whether objects come from a server, or are manifests to apply. Users never write machines by hand; pools from a
 * server have a status or a UID. MachineDeployments and control planes without any machine, one half of a
 * pool, and objects of AKS without their Cluster are changes, also if a server printed them: `kubectl patch
 * --dry-run=server -o yaml`.
 */
export function isDump(given: GivenObjects): boolean {
  const { pools, machinePools, machines, deployments, setMachines, controlPlanes } = given;
  const { managedControlPlanes, managedPools, managedMachinePools } = given;
  if (machines.length + setMachines.length > 0) return true;
  const ofAks = [...managedControlPlanes, ...managedPools, ...managedMachinePools];
  const hasAks = given.clusters.length + given.managedClusters.length + given.agentPools.length > 0;
  const hasPools = pools.length > 0 && machinePools.length > 0;
  const pooled = [...(hasPools ? [...pools, ...machinePools] : []), ...(hasAks ? ofAks : [])];
  const all = [...pooled, ...deployments, ...controlPlanes];
  if (pooled.length + given.sets.length === 0) return false;
  const stored = all.filter(({ status, metadata }) => status !== undefined || metadata.uid !== undefined);
  if (stored.length === 0) return false;
  if (stored.length === all.length) return true;
  const [fresh] = all.filter((one) => !stored.includes(one));
  const [old] = stored;
  throw new CommandError(
    `what was given is partly a dump (${old ? titleOf(old) : ""} has a status or a uid) and partly manifests (${fresh ? titleOf(fresh) : ""} has none); plan them one after the other`,
  );
}
