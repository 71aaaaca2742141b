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
import { existing, unknownName } from "../cluster/unknown-name.ts";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import {
  belongsTo,
  type ClusterParts,
  clusterTree,
  kindsIn,
  type DeploymentParts,
  type Leaf,
  type PoolParts,
  type Reported,
  type TreeOptions,
} from "../describe/cluster-tree.ts";
import { printTree } from "../describe/print-tree.ts";
import { treeAnswer } from "../describe/tree-answer.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { paintFor } from "../render/paint.ts";
import { widthFor } from "../render/width.ts";
import type { Shell } from "../shell.ts";

/** Which cluster, and how to print it. */
export interface DescribeClusterOptions {
  readonly access: UserAccess;
  readonly name: string;
  readonly output?: OutputForm;
  /** Shows it again after each change, until Ctrl-C. */
  readonly isWatching: boolean;
  readonly tree: Omit<TreeOptions, "nowMs">;
}

/** `capstan describe cluster`: the parts of a cluster as a tree, with the state of each. */
export async function describeCluster(shell: Shell, options: DescribeClusterOptions): Promise<number> {
  const { access, name, output, isWatching } = options;
  // Programs want objects, and a wide answer has room for each of them.
  const tree = output === undefined ? options.tree : { ...options.tree, isGrouped: false };
  return await withUserClient(shell, access, async (client, { now, namespace }) => {
    const read = async (): Promise<Leaf> => {
      const parts = await partsOf(client, { name, namespace });
      return clusterTree(parts, { ...tree, nowMs: now() });
    };
    const print = (root: Leaf): Promise<string> =>
      printed(treeAnswer(root), output, (isWide) => {
        const columns = isWide ? Number.POSITIVE_INFINITY : widthFor(shell);
        const look = { nowMs: now(), columns, isWide, paint: paintFor(shell.out, shell.variables) };
        return printTree(root, look);
      });
    if (isWatching) {
      // Only for this flag: a command loads no more than it needs.
      const { watchAnswer } = await import("../watching/watch-answer.ts");
      return await watchAnswer(shell, { read, print, essence: treeAnswer, output });
    }
    const root = await read();
    shell.out.write(await print(root));
    noteUnknownKind(shell, root, tree.conditionsOf);
    return EXIT.done;
  });
}

/** Without it, conditions of a misspelt kind would just not be there. */
function noteUnknownKind({ err }: Shell, root: Leaf, conditionsOf = "all"): void {
  const [chosen = ""] = conditionsOf.split("/");
  const kinds = kindsIn(root);
  if ([...kinds, "all"].some((kind) => kind.toLowerCase() === chosen.toLowerCase())) return;
  err.write(
    `note: no part of the cluster is of kind ${JSON.stringify(chosen)}; ${existing(chosen, kinds)}\n`,
  );
}

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
