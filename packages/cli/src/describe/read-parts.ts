import {
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  type ContractReference,
  CONTROL_PLANE_LABEL,
  controllerOf,
  DEPLOYMENT_NAME_LABEL,
  type Frozen,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
} from "@capstan/api";
import { targetOf } from "@capstan/manager";
import { type Client, Failure } from "@capstan/runtime";
import { unknownName } from "../cluster/unknown-name.ts";
import {
  belongsTo,
  type ClusterParts,
  type DeploymentParts,
  type PoolParts,
  type Reported,
} from "./cluster-tree.ts";

/** Everything that a cluster is made of, found by references and labels. */
export async function partsOf(
  client: Client,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<ClusterParts> {
  const cluster = await client.find(Cluster, { name, namespace });
  if (!cluster) throw await unknownName(client, { kind: Cluster, name, namespace });
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  const [infrastructure, controlPlane, controlPlaneMachines, pools, machines, deployments] =
    await Promise.all([
      referred(client, infrastructureRef, namespace),
      referred(client, controlPlaneRef, namespace),
      client.list(Machine, {
        namespace,
        labelSelector: `${CLUSTER_NAME_LABEL}=${name},${CONTROL_PLANE_LABEL}`,
      }),
      client.list(MachinePool, { namespace }),
      client.list(AzureMachinePoolMachine, { namespace }),
      deploymentParts(client, name, namespace),
    ]);
  const own = pools.filter(({ spec }) => spec.clusterName === name);
  const inCluster = machines.filter((machine) => belongsTo(machine, name));
  return {
    cluster,
    infrastructure,
    controlPlane,
    controlPlaneMachines,
    pools: await Promise.all(own.map((pool) => poolParts(client, pool, inCluster))),
    deployments,
  };
}

async function deploymentParts(
  client: Client,
  clusterName: string,
  namespace: string,
): Promise<readonly DeploymentParts[]> {
  const [deployments, sets, machines] = await Promise.all([
    client.list(MachineDeployment, { namespace }),
    client.list(MachineSet, { namespace, labelSelector: `${CLUSTER_NAME_LABEL}=${clusterName}` }),
    client.list(Machine, { namespace, labelSelector: `${CLUSTER_NAME_LABEL}=${clusterName}` }),
  ]);
  return deployments
    .filter(({ spec }) => spec.clusterName === clusterName)
    .map((deployment) => ({
      deployment,
      sets: sets.filter((set) => controllerOf(set)?.uid === deployment.metadata.uid),
      machines: machines.filter(
        ({ metadata }) => metadata.labels?.[DEPLOYMENT_NAME_LABEL] === deployment.metadata.name,
      ),
    }));
}

async function poolParts(
  client: Client,
  pool: Frozen<MachinePool>,
  machines: readonly Frozen<AzureMachinePoolMachine>[],
): Promise<PoolParts> {
  const { namespace = "" } = pool.metadata;
  const { bootstrap, infrastructureRef } = pool.spec.template.spec;
  const infrastructure = await referred(client, infrastructureRef, namespace);
  const owner = infrastructure?.metadata.uid;
  return {
    pool,
    infrastructure,
    bootstrap: await referred(client, bootstrap.configRef, namespace),
    machines: machines.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner)),
  };
}

/** An object of any kind. If the reference leads nowhere, a placeholder with that message takes the object's place. */
async function referred(
  client: Client,
  reference: Frozen<ContractReference> | undefined,
  namespace: string,
): Promise<Reported | undefined> {
  if (!reference) return undefined;
  try {
    const { kind, name } = await targetOf(client, { reference, field: "reference", namespace });
    return (await client.get(kind, name)) as Reported;
  } catch (error) {
    if (error instanceof Failure && LEADS_NOWHERE.has(error.reason))
      return standIn(reference, namespace, error);
    throw error;
  }
}

function standIn(
  { apiGroup, kind, name }: Frozen<ContractReference>,
  namespace: string,
  { reason, message: said }: Failure,
): Reported {
  // Name the missing object, not the request that failed.
  const message = reason === "NotFound" ? `There is no ${kind} ${name} in namespace ${namespace}` : said;
  const missing = {
    type: "Ready",
    status: "False",
    severity: "Error",
    reason,
    message,
    lastTransitionTime: "",
  } as const;
  return { apiVersion: apiGroup, kind, metadata: { name }, status: { conditions: [missing] } };
}

const LEADS_NOWHERE: ReadonlySet<string> = new Set(["NotFound", "KindNotServed", "IncorrectExternalRef"]);
