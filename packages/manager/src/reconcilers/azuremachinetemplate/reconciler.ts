import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachineTemplate,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import {
  type CacheReader,
  type Context,
  defineReconciler,
  index,
  isMoreThanStatus,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  terminal,
} from "@capstan/runtime";
import { failureOf, type Region, type RegionSizes } from "@capstan/azure";
import { armClientFor, subscriptionOf } from "../../azure-cluster/arm-client.ts";
import {
  type CheckedConfig,
  type CloudConfigPorts,
  keepCloudConfig,
} from "../../azure-cluster/cloud-config-secret.ts";
import { azureClusterNameOf, templateClusterOf } from "../../azure-cluster/members.ts";
import { locationOf } from "../../azure-cluster/spec-view.ts";
import { sizeStatus } from "./size.ts";

/** What the reconciler of AzureMachineTemplates works with. */
export interface AzureMachineTemplatePorts extends CloudConfigPorts {
  readonly clock: Clock;
  readonly regionSizes: RegionSizes;
}

interface Scope {
  readonly context: Context<AzureMachineTemplate>;
  readonly ports: AzureMachineTemplatePorts;
  /** The Cluster that owns the template; undefined while no MachineDeployment or control plane refers to it. */
  readonly clusterName: string | undefined;
  readonly checked: Map<string, CheckedConfig>;
}

const CONTROLLER = "azuremachinetemplate";
// Templates are replaced and deleted; one that is dropped is only checked again.
const MOST_CHECKED = 1_000;
const BY_CLUSTER = "cluster-of-azuremachinetemplate";

/**
 * Keeps TEMPLATE-azure-json for the machines of a template, and reports the resources of its size, from which the
 * autoscaler scales a MachineDeployment without machines.
 */
export function azureMachineTemplateReconciler(ports: AzureMachineTemplatePorts): Reconciler {
  const checked = new Map<string, CheckedConfig>();
  return defineReconciler<AzureMachineTemplate, Scope>({
    name: CONTROLLER,
    for: AzureMachineTemplate,
    indexes: [
      index(AzureMachineTemplate, BY_CLUSTER, (template) => {
        const name = templateClusterOf(template);
        return name === undefined ? [] : [`${template.metadata.namespace}/${name}`];
      }),
    ],
    watches: [on(AzureCluster, templatesOf, { predicate: isMoreThanStatus })],
    reads: [Cluster, AzureClusterIdentity],
    scope: (context) => ({ context, ports, checked, clusterName: templateClusterOf(context.object) }),
    normal: [keepConfig, reportSize],
  });
}

async function keepConfig({ context, ports, clusterName, checked }: Scope): Promise<Outcome> {
  if (clusterName === undefined) return next;
  const { object: owner } = context;
  const { uid = "" } = owner.metadata;
  const request = { owner, machines: owner.spec.template.spec, clusterName, checked: checked.get(uid) };
  const result = await keepCloudConfig(ports, context, request);
  if (result) {
    checked.delete(uid);
    checked.set(uid, result);
    const [oldest = ""] = checked.keys();
    if (checked.size > MOST_CHECKED) checked.delete(oldest);
  }
  return next;
}

/** The size of a template never changes, so it is looked up once. */
async function reportSize({ context, ports, clusterName }: Scope): Promise<Outcome> {
  const { object, cache } = context;
  if (clusterName === undefined || object.status?.capacity) return next;
  const { namespace } = object.metadata;
  const cluster = cache.get(AzureCluster, azureClusterNameOf(cache, { name: clusterName, namespace }));
  if (!cluster) return next;
  const { vmSize, osDisk } = object.spec.template.spec;
  const region = await regionOf(ports, cluster, cache);
  const size = region?.sizes.get(vmSize.toLowerCase());
  const facts = size && sizeStatus(size.capabilities, osDisk?.osType);
  if (!facts) throw noSuchSize(object, cluster);
  object.status = { ...object.status, ...facts };
  return next;
}

async function regionOf(
  ports: AzureMachineTemplatePorts,
  cluster: Frozen<AzureCluster>,
  cache: CacheReader,
): Promise<Region | undefined> {
  const arm = await armClientFor(ports, { cluster, cache, controller: CONTROLLER });
  try {
    return await ports.regionSizes.find(arm, subscriptionOf(ports, cluster), locationOf(cluster));
  } catch (error) {
    throw failureOf(error, `sizes of virtual machines in ${cluster.spec.location}`);
  }
}

function noSuchSize({ spec }: Frozen<AzureMachineTemplate>, { spec: { location } }: Frozen<AzureCluster>) {
  const value = JSON.stringify(spec.template.spec.vmSize);
  return terminal(
    "VMSizeNotFound",
    `spec.template.spec.vmSize is ${value}, but ${location} offers no such size; a template cannot change: create one with another size`,
  );
}

function templatesOf({ metadata }: Frozen<AzureCluster>, cache: CacheReader): readonly ObjectName[] {
  const { labels, name, namespace } = metadata;
  const value = `${namespace}/${labels?.[CLUSTER_NAME_LABEL] ?? name}`;
  return cache.list(AzureMachineTemplate, { index: BY_CLUSTER, value }).map((one) => one.metadata);
}
