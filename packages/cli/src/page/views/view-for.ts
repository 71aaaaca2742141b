import { AzureMachinePool, KubeadmControlPlane, MachineDeployment, MachinePool } from "@capstan/api";
import type { FleetHead } from "@capstan/page";
import type { Client } from "@capstan/runtime";
import type { LaneHistory } from "../lanes/lane-history.ts";
import type { LiveView } from "../live/follow-view.ts";
import type { LiveObjects } from "../live/live-objects.ts";
import type { StreamParameters } from "../page-server.ts";
import { azureList, type AzureSource, azureView } from "./azure.ts";
import { clusterView } from "./cluster.ts";
import { fleetView } from "./fleet.ts";
import { isShownGroup, objectView } from "./object.ts";
import { ownerRolloutView } from "./owner-rollout.ts";
import { poolRolloutView } from "./pool-rollout.ts";
import type { RolloutMemories } from "./rollout-memory.ts";

/** What views are made from. */
export interface ViewSources {
  readonly live: LiveObjects;
  readonly now: () => number;
  readonly client: Client;
  readonly flags: string;
  readonly memories: RolloutMemories;
  readonly lanes: LaneHistory;
  readonly fleetHead: () => FleetHead;
  /** The simulated Azure of `capstan up`. */
  readonly azure?: AzureSource | undefined;
}

/** The view that a browser asks for, or why there is none. */
export function viewFor(parameters: StreamParameters, sources: ViewSources): LiveView | string {
  const { live, now, fleetHead, azure, flags } = sources;
  switch (parameters.view) {
    case "fleet":
      return fleetView({ live, now, head: fleetHead });
    case "azure": {
      const list = azureList(parameters.name);
      if (!list) return `Azure has no list ${JSON.stringify(parameters.name)}`;
      return azure
        ? azureView({ azure, list, flags })
        : "this page shows no Azure; that of capstan up shows the simulated one";
    }
    case "rollout":
      return rolloutView(parameters, sources);
    case "cluster":
      return isName(parameters.namespace) && isName(parameters.name)
        ? clusterView({ namespace: parameters.namespace, name: parameters.name }, sources)
        : "a cluster has a namespace and a name";
    case "object":
      return shownObject(parameters, sources);
    default:
      return `there is no view ${JSON.stringify(parameters.view)}`;
  }
}

const POOLS: ReadonlySet<string> = new Set([MachinePool.kind, AzureMachinePool.kind]);
const OWNERS = [MachineDeployment, KubeadmControlPlane];

function rolloutView(
  { kind = "", namespace, name }: StreamParameters,
  sources: ViewSources,
): LiveView | string {
  if (!isName(namespace) || !isName(name)) return "a rollout has a namespace and a name";
  if (POOLS.has(kind)) return poolRolloutView({ kind, namespace, name }, sources);
  const owner = OWNERS.find((one) => one.kind === kind);
  if (owner) return ownerRolloutView({ kind: owner, namespace, name }, sources);
  return `${JSON.stringify(kind)} has no rollout; these have: ${[...POOLS, ...OWNERS.map((one) => one.kind)].join(", ")}`;
}

function shownObject(
  { apiVersion, kind, namespace, name }: StreamParameters,
  sources: ViewSources,
): LiveView | string {
  if (!isName(apiVersion) || !isName(kind) || !isName(namespace) || !isName(name))
    return "an object has an apiVersion, a kind, a namespace and a name";
  if (!isShownGroup(apiVersion))
    return `objects of ${JSON.stringify(apiVersion)} are not shown: only those of Cluster API and of Azure are`;
  return objectView({ apiVersion, kind, namespace, name }, sources);
}

const LONGEST_NAME = 253;

function isName(text: string | undefined): text is string {
  return text !== undefined && text !== "" && text.length <= LONGEST_NAME;
}
