import {
  type AzureMachinePoolMachine,
  type Cluster,
  CLUSTER_NAME_LABEL,
  type Condition,
  controllerOf,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  hasNoController,
  isPausedByAnnotation,
  type KubernetesObject,
  type Machine,
  type MachineDeployment,
  type MachinePool,
  type MachineSet,
} from "@capstan/api";
import { byNumber } from "../render/by-number.ts";
import { hasTrouble } from "./trouble.ts";

/** Everything that may belong to a cluster. */
export interface ClusterParts {
  readonly cluster: Frozen<Cluster>;
  readonly infrastructure: Reported | undefined;
  readonly controlPlane: Reported | undefined;
  /** The machines of the control plane; none for a control plane of another kind. */
  readonly controlPlaneMachines: readonly Frozen<Machine>[];
  readonly pools: readonly PoolParts[];
  readonly deployments: readonly DeploymentParts[];
}

/** A MachineDeployment with its machines. */
export interface DeploymentParts {
  readonly deployment: Frozen<MachineDeployment>;
  readonly sets: readonly Frozen<MachineSet>[];
  readonly machines: readonly Frozen<Machine>[];
}

/** A pool with its parts. */
export interface PoolParts {
  readonly pool: Frozen<MachinePool>;
  readonly bootstrap: Reported | undefined;
  readonly infrastructure: Reported | undefined;
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
}

/** An object with conditions. */
export type Reported = Frozen<KubernetesObject> & {
  readonly spec?: { readonly paused?: boolean; readonly [field: string]: unknown };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly [field: string]: unknown;
  };
};

/** The object that a line shows. */
export interface LeafObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A line of the description, and the lines below it. */
export interface Leaf {
  /** What the line shows: an object as KIND/NAME, a heading, or the type of a condition. */
  readonly name: string;
  readonly object?: LeafObject;
  /** What the object is to the cluster, such as ClusterInfrastructure. */
  readonly role?: string;
  /** What a user must know first about the object. */
  readonly warnings?: readonly Warning[];
  /** The replicas that the spec wants. */
  readonly desired?: number | undefined;
  readonly replicas?: number | undefined;
  readonly available?: number | undefined;
  readonly ready?: number | undefined;
  readonly upToDate?: number | undefined;
  readonly condition?: Condition | undefined;
  /** Whether a user must do something; otherwise what is not True yet is on its way. */
  readonly needsUser?: boolean;
  /** The names of the machines that share this line. */
  readonly members?: readonly string[];
  readonly parts: readonly Leaf[];
}

/** What a description shows. */
export interface TreeOptions {
  /** Puts machines that are in the same state on one line. */
  readonly isGrouped: boolean;
  /** The time in the cluster. */
  readonly nowMs: number;
  /** Which objects' conditions are shown one by one: `all`, a kind, or KIND/NAME; none if undefined. */
  readonly conditionsOf?: string | undefined;
  /** Shows the MachineSets of a MachineDeployment between it and its machines. */
  readonly hasMachineSets?: boolean;
}

/** The tree of a cluster: its parts, and the state of each. */
export function clusterTree(parts: ClusterParts, options: TreeOptions): Leaf {
  const { cluster, infrastructure, controlPlane, pools, deployments } = parts;
  const workers = [
    ...pools.map((pool) => poolLeaf(pool, options)),
    ...deployments.map((deployment) => deploymentLeaf(deployment, options)),
  ];
  return leafOf(cluster, options, {
    parts: [
      ...partLeaf("ClusterInfrastructure", infrastructure, options),
      ...partLeaf("ControlPlane", controlPlane, options).map((leaf) =>
        controlPlaneLeaf(leaf, parts, options),
      ),
      ...(workers.length === 0 ? [] : [headingLeaf("Workers", workers)]),
    ],
  });
}

function headingLeaf(name: string, parts: readonly Leaf[]): Leaf {
  return { name, needsUser: parts.some(({ needsUser }) => needsUser === true), parts };
}

function controlPlaneLeaf(
  leaf: Leaf,
  { controlPlane, controlPlaneMachines }: ClusterParts,
  options: TreeOptions,
): Leaf {
  const count = (field: string): number | undefined => {
    const value = controlPlane?.status?.[field];
    return typeof value === "number" ? value : undefined;
  };
  const ready = count("readyReplicas");
  const desired = controlPlane?.spec?.["replicas"];
  const machines = machineLeaves(controlPlaneMachines, options);
  return {
    ...leaf,
    ...(typeof desired === "number" && { desired }),
    replicas: count("replicas"),
    // A control plane of Cluster API's older contract counts only machines that are ready.
    available: count("availableReplicas") ?? ready,
    ready,
    upToDate: count("upToDateReplicas"),
    needsUser: leaf.needsUser === true || machines.some(({ needsUser }) => needsUser === true),
    parts: [...leaf.parts, ...machines],
  };
}

function deploymentLeaf(parts: DeploymentParts, options: TreeOptions): Leaf {
  const { deployment, machines } = parts;
  const { replicas: desired } = deployment.spec;
  const below =
    options.hasMachineSets === true ? setLeaves(parts, options) : machineLeaves(machines, options);
  const leaf = leafOf(deployment, options, { desired, ...countsOf(deployment), parts: below });
  const hold = leaf.condition?.status === "True" ? holdOf(deployment) : undefined;
  return hold ? { ...leaf, condition: hold } : leaf;
}

/** What holds up a rollout although enough machines are available: a failed preflight check of a MachineSet, say. */
function holdOf(deployment: Frozen<MachineDeployment>): Condition | undefined {
  const rollout = getCondition(deprecatedConditionsOf(deployment), "RolloutComplete");
  return rollout?.status === "False" && rollout.severity === "Warning" ? rollout : undefined;
}

/** The MachineSets that have machines, or should have, with their machines below them. */
function setLeaves({ sets, machines }: DeploymentParts, options: TreeOptions): Leaf[] {
  const bySet = Map.groupBy(machines, (machine) => controllerOf(machine)?.uid);
  return sets
    .map((set) => ({ set, own: bySet.get(set.metadata.uid) ?? [] }))
    .filter(({ set, own }) => own.length > 0 || (set.spec.replicas ?? 1) > 0)
    .toSorted((a, b) => byNumber(a.set.metadata.name, b.set.metadata.name))
    .map(({ set, own }) => {
      const leaf = leafOf(set, options, {
        desired: set.spec.replicas,
        ...countsOf(set),
        parts: machineLeaves(own, options),
      });
      // A MachineSet has no condition in v1beta2 that sums it up.
      return leaf.condition ? leaf : { ...leaf, ...summaryOf(set) };
    });
}

function summaryOf(set: Frozen<MachineSet>): Pick<Leaf, "condition"> {
  const condition = getCondition(deprecatedConditionsOf(set), "Ready");
  return condition ? { condition } : {};
}

function poolLeaf({ pool, bootstrap, infrastructure, machines }: PoolParts, options: TreeOptions): Leaf {
  return leafOf(pool, options, {
    desired: pool.spec.replicas,
    ...countsOf(pool),
    parts: [
      ...partLeaf("BootstrapConfig", bootstrap, options),
      ...partLeaf("MachinePoolInfrastructure", infrastructure, options),
      ...machineLeaves(machines, options),
    ],
  });
}

function countsOf({ status = {} }: Frozen<MachineDeployment | MachinePool | MachineSet>): Partial<Leaf> {
  const { replicas, availableReplicas: available, readyReplicas: ready, upToDateReplicas: upToDate } = status;
  return { replicas, available, ready, upToDate };
}

function partLeaf(role: string, object: Reported | undefined, options: TreeOptions): Leaf[] {
  if (!object) return [];
  const leaf = leafOf(object, options, { parts: [] });
  return [{ ...leaf, role }];
}

function machineLeaves(machines: readonly Reported[], options: TreeOptions): Leaf[] {
  const leaves = machines
    .toSorted((a, b) => byNumber(a.metadata.name, b.metadata.name))
    .map((machine) => leafOf(machine, options, { parts: [] }))
    .toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)));
  const isShown = leaves.some(({ parts }) => parts.length > 0);
  if (!options.isGrouped || isShown || leaves.length < 2) return leaves;
  const groups = Map.groupBy(leaves, ({ condition, needsUser }) =>
    [condition?.status, condition?.reason, needsUser].join(" "),
  );
  return [...groups.values()].map(groupLeaf);
}

const isReady = ({ condition }: Leaf): boolean => condition?.status === "True";

/** Several machines in the same state, on one line. */
function groupLeaf(leaves: readonly Leaf[]): Leaf {
  const [first, second] = leaves;
  if (!first || !second) return first ?? { name: "", parts: [] };
  const members = leaves.map(({ name }) => name.slice(name.indexOf("/") + 1));
  const more = members.length > 3 ? ", ..." : "";
  return {
    ...first,
    name: `${leaves.length} Machines... See ${members.slice(0, 3).join(", ")}${more}`,
    members,
  };
}

function leafOf(object: Reported, options: TreeOptions, leaf: Omit<Leaf, "name" | "condition">): Leaf {
  const { apiVersion, kind, metadata, status } = object;
  const { conditions = [] } = status ?? {};
  const main = mainCondition(conditions);
  const needsUser = hasTrouble(object, options.nowMs);
  const shown = isChosen(object, options.conditionsOf)
    ? conditions
        .filter((condition) => condition !== main)
        .map((condition) => ({ name: condition.type, condition, needsUser, parts: [] }))
    : [];
  const warnings = warningsOf(object);
  return {
    ...leaf,
    name: `${kind}/${metadata.name}`,
    object: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name },
    ...(warnings.length > 0 && { warnings }),
    condition: main,
    needsUser: needsUser || leaf.parts.some((part) => part.needsUser === true),
    parts: [...shown, ...leaf.parts],
  };
}

/**
 * The condition that sums an object up: a failed pass, else whether the object is ready, else whether it is available, as
 * Cluster API reports of Clusters and of owners of machines.
 */
function mainCondition(conditions: readonly Condition[]): Condition | undefined {
  const failed = getCondition(conditions, "Reconciled");
  return failed ?? getCondition(conditions, "Ready") ?? getCondition(conditions, "Available");
}

/** The first two are clusterctl's words. */
type Warning = "DELETED" | "PAUSED" | "NO CONTROLLER";

function warningsOf(object: Reported): readonly Warning[] {
  const isPaused = isPausedByAnnotation(object) || object.spec?.paused === true;
  return [
    ...(object.metadata.deletionTimestamp === undefined ? [] : (["DELETED"] as const)),
    ...(isPaused ? (["PAUSED"] as const) : []),
    ...(hasNoController(object) ? (["NO CONTROLLER"] as const) : []),
  ];
}

function isChosen({ kind, metadata }: Reported, chosen: string | undefined): boolean {
  const [of = "", name] = chosen?.split("/") ?? [];
  if (name === undefined && of === "all") return true;
  return of.toLowerCase() === kind.toLowerCase() && (name === undefined || name === metadata.name);
}

/** The kinds of all parts, each once. */
export function kindsIn({ object, parts }: Leaf): readonly string[] {
  return [...new Set([...(object ? [object.kind] : []), ...parts.flatMap(kindsIn)])];
}

/** Whether an object has the label of a cluster. */
export function belongsTo({ metadata }: Frozen<KubernetesObject>, cluster: string): boolean {
  return metadata.labels?.[CLUSTER_NAME_LABEL] === cluster;
}
