import type { AzureCluster, AzureMachinePool, Frozen, MachinePool } from "@capstan/api";
import type { JsonObject } from "../../azure/port.ts";
import {
  clusterGroupOf,
  groupID,
  nodeOutboundPoolID,
  type ClusterSpecView,
  subnetID,
} from "../../azure-cluster/spec-view.ts";
import { RESTARTED_AT_ANNOTATION } from "../../rollout/shared/restart.ts";
import { purchasePlan } from "./purchase-plan.ts";
import { vmProfile } from "./vm-profile.ts";

/** Everything that decides what the machines of a pool are to be. */
export interface ModelFacts {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName: string;
  readonly subscriptionID: string;
}

/** The model that new instances are to have: its parts as the scale set's body needs them. */
export interface WantedModel {
  readonly sku: string;
  readonly zones: readonly string[];
  readonly identity: JsonObject | undefined;
  readonly capabilities: JsonObject | undefined;
  readonly profile: JsonObject;
  /** The plan by which the image is bought, where it is. */
  readonly plan?: JsonObject;
}

// The API server's port says nothing about machines; only the names of the network's parts are wanted from the plan.
const ANY_PORT = 6443;

/** Where the cluster of a pool is in Azure. */
export function clusterPlanOf({
  azureCluster,
  clusterName,
  subscriptionID,
}: Pick<ModelFacts, "azureCluster" | "clusterName" | "subscriptionID">): ClusterSpecView {
  const { metadata, spec } = azureCluster;
  const { namespace = "" } = metadata;
  return { clusterName, namespace, subscriptionID, spec, apiServerPort: ANY_PORT, zones: [] };
}

/** The ARM id of the scale set of a pool; it bears the name of its AzureMachinePool, as CAPZ's do. */
export function scaleSetIDOf(plan: ClusterSpecView, name: string): string {
  return `${groupID(plan, clusterGroupOf(plan))}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
}

/** The model that a pool wants. */
export function wantedModelOf(facts: ModelFacts): WantedModel {
  const { pool, machinePool } = facts;
  const cluster = clusterPlanOf(facts);
  const outboundPoolID = nodeOutboundPoolID(cluster);
  const { template } = pool.spec;
  const plan = purchasePlan(template.image);
  return {
    sku: template.vmSize,
    zones: [...(machinePool.spec.failureDomains ?? [])].sort(),
    identity: identityOf(pool),
    capabilities: capabilitiesOf(pool),
    profile: vmProfile(pool, {
      name: pool.metadata.name,
      version: machinePool.spec.template.spec.version ?? "",
      subnetID: (name) => subnetID(cluster, name ?? nodeSubnetsOf(cluster)[0] ?? ""),
      ...(outboundPoolID !== undefined && { outboundPoolID }),
    }),
    ...(plan && { plan }),
  };
}

/** What is hashed: all by which two machines can differ, and nothing that changes without one being outdated. */
export function hashedModel(facts: ModelFacts): JsonObject {
  const restartedAt = facts.pool.metadata.annotations?.[RESTARTED_AT_ANNOTATION];
  return {
    ...wantedModelOf(facts),
    version: facts.machinePool.spec.template.spec.version,
    ...(restartedAt !== undefined && { restartedAt }),
  };
}

/** The subnets that machines of pools may be in. */
export function nodeSubnetsOf({ spec }: ClusterSpecView): readonly string[] {
  const subnets = spec.networkSpec?.subnets ?? [];
  return subnets.filter(({ role }) => role === "node" || role === "cluster").map(({ name }) => name);
}

function identityOf({ spec }: Frozen<AzureMachinePool>): JsonObject | undefined {
  if (spec.identity !== "UserAssigned") return undefined;
  const ids = (spec.userAssignedIdentities ?? []).map(({ providerID }) =>
    providerID.replace(/^azure:\/\//, ""),
  );
  const userAssignedIdentities = Object.fromEntries(ids.sort().map((id) => [id, {}]));
  return { type: "UserAssigned", userAssignedIdentities };
}

function capabilitiesOf({ spec }: Frozen<AzureMachinePool>): JsonObject | undefined {
  const { dataDisks = [], additionalCapabilities } = spec.template;
  const needsUltra = dataDisks.some(({ managedDisk }) => managedDisk?.storageAccountType === "UltraSSD_LRS");
  const ultraSSDEnabled = additionalCapabilities?.ultraSSDEnabled ?? (needsUltra ? true : undefined);
  return ultraSSDEnabled === undefined ? undefined : { ultraSSDEnabled };
}
