import {
  type Cluster,
  type Condition,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  type Machine,
  type StandardConditionUpdate,
} from "@capstan/api";
import {
  bulleted,
  type CombinedReasons,
  combineConditions,
  type ConditionState,
  countedConditions,
  type CountedCondition,
} from "./combine.ts";
import { referenceReady } from "./machine.ts";
import { machinesReady, machinesUpToDate, remediating } from "./machines.ts";
import { deletingCondition } from "./owner.ts";

/** An object that owns machines of a Cluster, and its conditions of v1beta2. */
export interface MachineOwnerState {
  /** The kind and the name, for messages. */
  readonly text: string;
  readonly conditions: readonly (ConditionState & { readonly type: string })[];
}

/** The facts about a Cluster that its own object does not have. */
export interface ClusterFacts {
  /** The references whose object does not exist. */
  readonly missing: readonly ("infrastructure" | "controlPlane")[];
  readonly controlPlane: MachineOwnerState | undefined;
  readonly controlPlaneMachines: readonly Frozen<Machine>[];
  /** MachineDeployments, MachinePools and MachineSets without a MachineDeployment. */
  readonly workers: readonly MachineOwnerState[];
  /** Workers without an owner. */
  readonly workerMachines: readonly Frozen<Machine>[];
  /** Whether a health check asks for the replacement of a machine. */
  readonly isMarked: (machine: Frozen<Machine>) => boolean;
  /** Whether the API server of the cluster answers; undefined before its control plane is initialized. */
  readonly probe: { readonly isAnswering: boolean; readonly message: string } | undefined;
  /** What the deletion waits for. */
  readonly deletion: { readonly reason: string; readonly message: string } | undefined;
}

/** The conditions of a Cluster in v1beta2. */
export function clusterConditions(
  cluster: Frozen<Cluster>,
  facts: ClusterFacts,
): readonly StandardConditionUpdate[] {
  const conditions = [
    infrastructure(cluster, facts),
    ...controlPlane(cluster, facts),
    probed(facts),
    ...workers(facts),
    ...ownersChange(facts),
    remediatingMachines(facts),
    deletingCondition(cluster, facts.deletion ?? { message: "" }),
  ];
  return [...conditions, availableCondition(cluster, conditions)];
}

function infrastructure(cluster: Frozen<Cluster>, { missing }: ClusterFacts): StandardConditionUpdate {
  const type = "InfrastructureReady";
  const old = getCondition(deprecatedConditionsOf(cluster), type);
  if (old?.reason === "NoInfrastructureReferenced")
    return { type, status: "True", reason: "Ready", message: "" };
  return referenceReady(type, old, missing.includes("infrastructure"));
}

const INITIALIZED_REASONS = {
  True: "Initialized",
  False: "NotInitialized",
  Unknown: "NotInitialized",
} as const;
const AVAILABLE: CombinedReasons = { True: "Available", False: "NotAvailable", Unknown: "AvailableUnknown" };

function controlPlane(cluster: Frozen<Cluster>, facts: ClusterFacts): readonly StandardConditionUpdate[] {
  const old = deprecatedConditionsOf(cluster);
  const isMissing = facts.missing.includes("controlPlane");
  const initialized = judged("ControlPlaneInitialized", getCondition(old, "ControlPlaneInitialized"));
  const said =
    getCondition(facts.controlPlane?.conditions, "Available") ?? getCondition(old, "ControlPlaneReady");
  const availability = judged("ControlPlaneAvailable", said);
  const absent = { reason: "ObjectDoesNotExist" };
  return [
    { ...initialized, reason: INITIALIZED_REASONS[initialized.status], ...(isMissing && absent) },
    { ...availability, reason: AVAILABLE[availability.status], ...(isMissing && absent) },
    { ...machinesReady(facts.controlPlaneMachines, undefined), type: "ControlPlaneMachinesReady" },
    { ...machinesUpToDate(facts.controlPlaneMachines), type: "ControlPlaneMachinesUpToDate" },
  ];
}

function judged(type: string, said: ConditionState | Frozen<Condition> | undefined): StandardConditionUpdate {
  const { status = "Unknown", message = "Not observed yet" } = said ?? {};
  return { type, status, reason: type, message: status === "True" ? "" : message };
}

function probed({ probe }: ClusterFacts): StandardConditionUpdate {
  const type = "RemoteConnectionProbe";
  if (probe?.isAnswering === true) return { type, status: "True", reason: "ProbeSucceeded", message: "" };
  const message = probe?.message ?? "The control plane is not initialized yet";
  return { type, status: "False", reason: "ProbeFailed", message };
}

function workers({ workers: owners, workerMachines }: ClusterFacts): readonly StandardConditionUpdate[] {
  const type = "WorkersAvailable";
  const counted = (name: string): CountedCondition[] =>
    owners.flatMap(({ text, conditions }) => {
      const condition = getCondition(conditions, name);
      // MachineSets have no Available, and an owner without machines has nothing to say about them.
      return condition ? [{ name: text, condition }] : [];
    });
  const available = counted("Available");
  return [
    available.length === 0
      ? { type, status: "True", reason: "NoWorkers", message: "" }
      : combineConditions(type, available, AVAILABLE),
    aboutWorkers("WorkerMachinesReady", "Ready", [
      ...counted("MachinesReady"),
      ...single(machinesReady(workerMachines, undefined)),
    ]),
    aboutWorkers("WorkerMachinesUpToDate", "UpToDate", [
      ...counted("MachinesUpToDate"),
      ...single(machinesUpToDate(workerMachines)),
    ]),
  ];
}

function single(condition: StandardConditionUpdate): readonly CountedCondition[] {
  return condition.reason === "NoReplicas" ? [] : [{ name: "Machines without an owner", condition }];
}

function aboutWorkers(
  type: string,
  good: string,
  counted: readonly CountedCondition[],
): StandardConditionUpdate {
  if (counted.length === 0) return { type, status: "True", reason: "NoReplicas", message: "" };
  return combineConditions(type, counted, { True: good, False: `Not${good}`, Unknown: `${good}Unknown` });
}

const CHANGES = ["RollingOut", "ScalingUp", "ScalingDown"] as const;

/** What an owner of machines changes now; each is False unless one of them says True. */
function ownersChange({
  controlPlane: plane,
  workers: owners,
}: ClusterFacts): readonly StandardConditionUpdate[] {
  return CHANGES.map((type) => {
    const said = messagesOf([...(plane ? [plane] : []), ...owners], type);
    return said.length === 0
      ? { type, status: "False", reason: `Not${type}`, message: "" }
      : { type, status: "True", reason: type, message: said.join("\n") };
  });
}

/** The messages of the owners whose condition is True. */
function messagesOf(owners: readonly MachineOwnerState[], type: string): readonly string[] {
  return owners.flatMap(({ text, conditions }) => {
    const condition = getCondition(conditions, type);
    return condition?.status === "True" ? [bulleted(text, condition.message ?? "")] : [];
  });
}

function remediatingMachines(facts: ClusterFacts): StandardConditionUpdate {
  const { controlPlaneMachines, workerMachines, workers: owners, isMarked } = facts;
  const own = remediating([...controlPlaneMachines, ...workerMachines], isMarked);
  const said = messagesOf(owners, own.type);
  if (said.length === 0) return own;
  const lines = [...(own.status === "True" ? [`* ${own.message}`] : []), ...said];
  return { type: own.type, status: "True", reason: "Remediating", message: lines.join("\n") };
}

const SUMMED_UP = [
  "Deleting",
  "RemoteConnectionProbe",
  "InfrastructureReady",
  "ControlPlaneAvailable",
  "WorkersAvailable",
];

function availableCondition(
  cluster: Frozen<Cluster>,
  conditions: readonly StandardConditionUpdate[],
): StandardConditionUpdate {
  const gates = cluster.spec.availabilityGates;
  const counted = countedConditions({ types: SUMMED_UP, gates }, conditions, cluster.status?.conditions);
  return combineConditions("Available", counted, AVAILABLE);
}
