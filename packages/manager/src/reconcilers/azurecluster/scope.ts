import { type AzureCluster, Cluster, CLUSTER_NAME_LABEL, type Frozen, getCondition } from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Context, type Editable, explainedBy, waiting } from "@capstan/runtime";
import type { Arm, RegionSizes } from "@capstan/azure";
import {
  identityKeyOf,
  armClientFor,
  type AzureClientPorts,
  subscriptionOf,
} from "../../azure-cluster/arm-client.ts";
import type { Inventory } from "./operations/inventory.ts";
import { Ledger } from "./operations/ledger.ts";
import type { ClusterMemory, Memory } from "./operations/memory.ts";
import type { ClusterSpecView } from "../../azure-cluster/spec-view.ts";
import type { DesiredResource } from "./model/resource.ts";
import { desiredResources } from "./model/resources.ts";

/** The Azure clients that the reconciler can use. */
export interface AzureClusterPorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly regionSizes: RegionSizes;
}

/** The state that all passes of one process share. */
export interface Shared {
  readonly ports: AzureClusterPorts;
  readonly memory: Memory;
  readonly inventory: Inventory;
}

/** One pass over one AzureCluster. */
export interface Scope {
  readonly context: Context<AzureCluster>;
  readonly cluster: Editable<AzureCluster>;
  readonly arm: Arm;
  /** Nothing was ever written to Azure for it, so there is nothing to delete and no client is needed. */
  readonly isUntouched: boolean;
  /** The identity that `arm` uses. */
  readonly identity: string;
  readonly ledger: Ledger;
  readonly memory: ClusterMemory;
  readonly shared: Shared;
  plan: ClusterSpecView;
  desired: readonly DesiredResource[];
}

/** The name of the reconciler, in metrics and towards Azure. */
export const CONTROLLER = "azurecluster";

const GROUP_CONDITION = "ResourceGroupReady";
const API_SERVER_PORT = 6443;

/** Finds the owner of the cluster and the Azure client for it. Fails, without any write, if one is missing. */
export async function buildScope(shared: Shared, context: Context<AzureCluster>): Promise<Scope> {
  const { object: cluster } = context;
  const owner = ownerOf(context);
  const isDeleting = cluster.metadata.deletionTimestamp !== undefined;
  if (!owner && !isDeleting) {
    const message = "No Cluster refers to this AzureCluster in spec.infrastructureRef yet";
    throw blocked(context, waiting("WaitingForClusterOwner", message));
  }
  const isUntouched = isDeleting && !hasBegun(cluster);
  const { ports } = shared;
  const visitor = { cluster, cache: context.cache, controller: CONTROLLER };
  const subscriptionID = isUntouched ? "" : await orBlocked(context, () => subscriptionOf(ports, cluster));
  const plan = planOf(context, owner, subscriptionID);
  const arm = isUntouched ? undefined : await orBlocked(context, () => armClientFor(ports, visitor));
  return {
    context,
    cluster,
    get arm(): Arm {
      if (!arm) throw new Error("a phase needs an Azure client before one was created");
      return arm;
    },
    isUntouched,
    identity: identityKeyOf(cluster),
    ledger: new Ledger(context),
    memory: shared.memory.of(cluster.metadata.uid ?? ""),
    shared,
    plan,
    desired: desiredResources(plan),
  };
}

function planOf(
  { object }: Context<AzureCluster>,
  owner: Owner | undefined,
  subscriptionID: string,
): ClusterSpecView {
  const { metadata, spec, status } = object;
  const { namespace = "", labels } = metadata;
  const { name: clusterName, apiServerPort } = owner ?? {
    name: labels?.[CLUSTER_NAME_LABEL] ?? metadata.name,
    apiServerPort: API_SERVER_PORT,
  };
  return {
    clusterName,
    namespace,
    subscriptionID,
    spec,
    apiServerPort: spec.controlPlaneEndpoint?.port ?? apiServerPort,
    zones: Object.keys(status?.failureDomains ?? {}).toSorted(),
  };
}

/**
 * Whether anything was ever written to Azure for a cluster. The condition is in the status before the first write is
 * sent, together with its intent.
 */
function hasBegun({ status }: Frozen<AzureCluster>): boolean {
  const hasOperation = (status?.longRunningOperationStates ?? []).length > 0;
  return hasOperation || getCondition(status?.conditions, GROUP_CONDITION) !== undefined;
}

/** Records that the first write to Azure is about to be sent, in case of a crash. */
export function setBegun({ cluster, context }: Pick<Scope, "cluster" | "context">): void {
  if (hasBegun(cluster)) return;
  context.setCondition({ type: GROUP_CONDITION, status: "False", severity: "Info", reason: "Creating" });
}

/** The Cluster that refers to an AzureCluster. */
interface Owner {
  readonly name: string;
  readonly apiServerPort: number;
}

function ownerOf({ object, cache }: Context<AzureCluster>): Owner | undefined {
  const reference = object.metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === Cluster.kind && apiVersion.startsWith(`${Cluster.group}/`),
  );
  if (!reference) return undefined;
  const owner = cache.get(Cluster, { name: reference.name, namespace: object.metadata.namespace });
  const { apiServerPort = API_SERVER_PORT } = owner?.spec.clusterNetwork ?? {};
  return { name: reference.name, apiServerPort };
}

/** Runs a step that all others need; if it fails, the conditions of the cluster have the reason. */
async function orBlocked<T>(context: Context<AzureCluster>, attempt: () => T | Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw blocked(context, error);
  }
}

/** Sets the conditions of a block and returns the failure to throw. */
function blocked(context: Context<AzureCluster>, failure: unknown): unknown {
  return explainedBy(context, "NetworkInfrastructureReady", failure);
}
