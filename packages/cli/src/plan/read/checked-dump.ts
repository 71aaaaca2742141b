import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureMachineTemplate,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type CustomKind,
  formatFieldError,
  type Frozen,
  isJsonObject,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
  withDefaults,
} from "@capstan/api";
import { CommandError } from "../../command-error.ts";
import { type PlanObjects, titleOf } from "./given-objects.ts";

/** The objects of a dump as a server would have stored them; throws where a server would refuse one. */
export function checkedDump(given: PlanObjects): PlanObjects {
  return {
    pools: given.pools.map((pool) => checked(AzureMachinePool, pool)),
    machinePools: given.machinePools.map((machinePool) => checked(MachinePool, machinePool)),
    machines: given.machines.map((machine) => checked(AzureMachinePoolMachine, machine)),
    deployments: given.deployments.map((deployment) => checked(MachineDeployment, deployment)),
    sets: given.sets.map((set) => checked(MachineSet, set)),
    setMachines: given.setMachines.map((machine) => checked(Machine, machine)),
    controlPlanes: given.controlPlanes.map((controlPlane) => checked(KubeadmControlPlane, controlPlane)),
    azureTemplates: given.azureTemplates.map((template) => checked(AzureMachineTemplate, template)),
    configs: given.configs,
    clusters: given.clusters.map((cluster) => checked(Cluster, cluster)),
    azureClusters: given.azureClusters.map((azureCluster) => checked(AzureCluster, azureCluster)),
    managedControlPlanes: given.managedControlPlanes.map((one) => checked(AzureManagedControlPlane, one)),
    managedPools: given.managedPools.map((pool) => checked(AzureManagedMachinePool, pool)),
    managedMachinePools: given.managedMachinePools.map((machinePool) => checked(MachinePool, machinePool)),
    managedClusters: given.managedClusters,
    agentPools: given.agentPools,
  };
}

function checked<T extends KubernetesObject>(kind: CustomKind<T>, given: Frozen<T>): Frozen<T> {
  const object = withDefaults(kind, withoutNulls(given) as Frozen<T>) as Frozen<T>;
  // The object is stored already, so rules for creation only do not apply.
  const errors = kind.validate({ object, old: object });
  if (errors.length === 0) return object;
  throw new CommandError(`${titleOf(given)} is invalid: ${errors.map(formatFieldError).join("; ")}`);
}

/** A server treats a field with null as a missing field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(present.map(([name, field]) => [name, withoutNulls(field)]));
}
