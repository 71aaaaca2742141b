/** The provider ids of a pool whose Nodes the manager cannot read: a private cluster without a route to its API server. */
import { isJsonObject, type JsonObject } from "@capstan/api";
import { agentPoolName } from "@capstan/plan";
import { type Arm, failureOf } from "@capstan/azure";
import { armClientFor, subscriptionOf } from "../../azure-cluster/arm-client.ts";
import type { Owners, Scope } from "./scope.ts";

const MINUTE_MS = 60_000;
// AKS replaces nodes without changing their number, in upgrades of node images. Without Nodes, only a list shows that.
const REFRESH_MS = 10 * MINUTE_MS;
// More pools than a manager has; cleared, each costs one list.
const MOST_POOLS = 10_000;

/** The scale set of a pool, and when its instances were listed. */
export interface ListedScaleSet {
  readonly id: string | undefined;
  readonly atMs: number;
}

/** Whether the API server has no public address, so that a manager elsewhere may have no route to it. */
export function isPrivate({ controlPlane }: Owners): boolean {
  return controlPlane.spec.apiServerAccessProfile?.enablePrivateCluster === true;
}

/**
 * Lists the instances of the pool in Azure; undefined when the last list is recent enough, or AKS has no scale set for the
 * pool yet. A list costs a token for each instance, so a pool whose number of nodes is right is listed rarely.
 */
export async function listedProviderIDs(
  scope: Scope,
  owners: Owners,
): Promise<readonly string[] | undefined> {
  const { ports, context, listed } = scope;
  const uid = scope.pool.metadata.uid ?? "";
  const last = listed.get(uid);
  const atMs = ports.clock.monotonic();
  if (last && atMs - last.atMs < listIntervalMs(scope)) return undefined;
  if (listed.size >= MOST_POOLS) listed.clear();
  // A list that fails is not repeated sooner than one that succeeds.
  listed.set(uid, { id: last?.id, atMs });
  try {
    const arm = await armClientFor(ports, {
      cluster: owners.controlPlane,
      cache: context.cache,
      controller: "azuremanagedmachinepool",
    });
    const id = last?.id ?? (await scaleSetOf(arm, scope, owners));
    listed.set(uid, { id, atMs });
    return id === undefined ? undefined : await instancesOf(arm, id);
  } catch (error) {
    // AKS may have replaced the scale set: the next pass looks for it again.
    listed.set(uid, { id: undefined, atMs });
    throw failureOf(error, "listing the instances of the pool");
  }
}

function listIntervalMs({ pool, agentPool }: Scope): number {
  const isComplete = pool.spec.providerIDList?.length === agentPool?.status?.["count"];
  return isComplete ? REFRESH_MS : MINUTE_MS;
}

/** AKS tags the scale set of a pool with its name; older ones have the shorter tag. */
async function scaleSetOf(
  arm: Arm,
  { pool, ports }: Scope,
  { controlPlane }: Owners,
): Promise<string | undefined> {
  const { nodeResourceGroupName } = controlPlane.spec;
  const group = `/subscriptions/${subscriptionOf(ports, controlPlane)}/resourceGroups/${nodeResourceGroupName}`;
  const { items } = await arm.list(`${group}/providers/Microsoft.Compute/virtualMachineScaleSets`);
  const name = agentPoolName(pool);
  return textOf(
    items.find(
      ({ tags }) => isJsonObject(tags) && (tags["aks-managed-poolName"] ?? tags["poolName"]) === name,
    ),
    "id",
  );
}

async function instancesOf(arm: Arm, scaleSetID: string): Promise<readonly string[]> {
  const { items } = await arm.list(`${scaleSetID}/virtualMachines`);
  return items.map((one) => `azure://${textOf(one, "id") ?? ""}`).toSorted();
}

function textOf(item: JsonObject | undefined, field: string): string | undefined {
  const value = item?.[field];
  return typeof value === "string" ? value : undefined;
}
