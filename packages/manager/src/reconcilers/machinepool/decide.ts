import type { Frozen, MachinePool } from "@capstan/api";
import type { Editable } from "@capstan/runtime";
import {
  type ContractObject,
  dataSecretNameOf,
  failureOf,
  isReady,
  providerIDsOf,
  externalReplicasOf,
  replicasOf,
  upToDateReplicasOf,
} from "../../contract/contract-object.ts";
import { isExternallyScaled } from "../../contract/pool-spec.ts";
import { type ConditionUpdate, mirrorReady } from "../../contract/ready.ts";
import { absence, type ResolvedReference } from "../../contract/resolve.ts";
import type { NodeCount } from "./count-nodes.ts";

/** The observed Nodes of a pool. */
export type NodesView =
  | { readonly state: "counted"; readonly count: NodeCount }
  /** The workload cluster did not answer; earlier values are kept. */
  | {
      readonly state: "unknown";
      readonly reason: string;
      readonly message: string;
      readonly isError: boolean;
    };

/** The observations of a pass over a pool. */
export interface Observed {
  readonly bootstrap?: ResolvedReference | undefined;
  readonly infrastructure?: ResolvedReference | undefined;
  readonly nodes?: NodesView | undefined;
}

type Status = NonNullable<Editable<MachinePool>["status"]>;

interface DeprecatedFields {
  readonly readyReplicas: number | undefined;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
  readonly failureReason?: string | undefined;
  readonly failureMessage?: string | undefined;
}

/** The new status. */
export interface Verdict {
  readonly fields: Partial<Status>;
  /** Fields that only clients of v1beta1 read. */
  readonly deprecated: DeprecatedFields;
  readonly conditions: readonly ConditionUpdate[];
}

/** The fields of the spec that the controller writes by the contract. */
export interface SpecChange {
  readonly dataSecretName?: string;
  readonly providerIDList?: readonly string[];
  readonly replicas?: number;
}

/** Decides which fields of the spec follow the referenced objects. */
export function decideSpec(pool: Frozen<MachinePool>, { bootstrap, infrastructure }: Observed): SpecChange {
  const config = readyIn(bootstrap);
  const machines = readyIn(infrastructure);
  const dataSecretName = config && dataSecretNameOf(config);
  const replicas = machines && isExternallyScaled(pool) ? machinesIn(machines) : undefined;
  return {
    ...(dataSecretName !== undefined && { dataSecretName }),
    ...(machines && { providerIDList: providerIDsOf(machines) }),
    ...(replicas !== undefined && { replicas }),
  };
}

function readyIn(seen: ResolvedReference | undefined): Frozen<ContractObject> | undefined {
  return seen?.state === "found" && isReady(seen.object) ? seen.object : undefined;
}

/** Decides the status of a pool. */
export function decideStatus(pool: Frozen<MachinePool>, observed: Observed): Verdict {
  const bootstrap = judgeBootstrap(pool, observed.bootstrap);
  const infrastructure = judgeInfrastructure(pool, observed.infrastructure);
  const replicas = pool.spec.replicas ?? 1;
  const counts = countsOf(pool, observed);
  const { readyReplicas, availableReplicas = 0 } = counts;
  const failure = failureIn(observed);
  const initialization = {
    bootstrapDataSecretCreated: bootstrap.isReady,
    infrastructureProvisioned: infrastructure.isReady,
  };
  const fields: Partial<Status> = { ...counts, initialization };
  return {
    fields: { ...fields, phase: failure.failureReason === undefined ? phaseOf(pool, fields) : "Failed" },
    deprecated: {
      readyReplicas,
      availableReplicas,
      unavailableReplicas: Math.max(replicas - availableReplicas, 0),
      ...failure,
    },
    conditions: [
      bootstrap.condition,
      infrastructure.condition,
      judgeReplicas(replicas, counts.readyReplicas ?? 0, observed.nodes),
    ],
  };
}

/**
 * The number that the autoscaler has set, if the pool reports one because it is replacing machines; otherwise the number
 * of existing machines, ready or not: a pool must not shrink because a machine is unhealthy.
 */
function machinesIn(infrastructure: Frozen<ContractObject>): number | undefined {
  const replicas = replicasOf(infrastructure);
  if (replicas === undefined) return undefined;
  return externalReplicasOf(infrastructure) ?? Math.max(replicas, providerIDsOf(infrastructure).length);
}

interface Judgement {
  readonly isReady: boolean;
  readonly condition: ConditionUpdate;
}

const WAITING_FOR_DATA = "WaitingForDataSecret";
const WAITING_FOR_INFRASTRUCTURE = "WaitingForInfrastructure";

function judgeBootstrap(
  { spec, status }: Frozen<MachinePool>,
  seen: ResolvedReference | undefined,
): Judgement {
  const type = "BootstrapReady";
  const { configRef, dataSecretName } = spec.template.spec.bootstrap;
  if (!configRef) {
    const isGiven = dataSecretName !== undefined;
    const waits = { status: "False", severity: "Info", reason: WAITING_FOR_DATA } as const;
    return {
      isReady: isGiven,
      condition: isGiven ? { type, status: "True", reason: "DataSecretGiven" } : { type, ...waits },
    };
  }
  if (seen?.state !== "found")
    return unresolved(type, seen, {
      reason: WAITING_FOR_DATA,
      wasReady: status?.initialization?.bootstrapDataSecretCreated ?? false,
    });
  const hasData = isReady(seen.object) && dataSecretNameOf(seen.object) !== undefined;
  return { isReady: hasData, condition: mirrorReady(type, seen.object, WAITING_FOR_DATA) };
}

function judgeInfrastructure(
  { status }: Frozen<MachinePool>,
  seen: ResolvedReference | undefined,
): Judgement {
  const type = "InfrastructureReady";
  if (seen?.state !== "found") {
    return unresolved(type, seen, {
      reason: WAITING_FOR_INFRASTRUCTURE,
      wasReady: status?.initialization?.infrastructureProvisioned ?? false,
    });
  }
  return {
    isReady: isReady(seen.object),
    condition: mirrorReady(type, seen.object, WAITING_FOR_INFRASTRUCTURE),
  };
}

/** A provisioned state is not revoked because the object cannot be read now. */
function unresolved(
  type: string,
  seen: ResolvedReference | undefined,
  { reason, wasReady }: { readonly reason: string; readonly wasReady: boolean },
): Judgement {
  const severity = wasReady ? "Error" : "Info";
  return {
    isReady: wasReady,
    condition: { type, status: "False", severity, reason, ...(seen && { message: absence(seen) }) },
  };
}

function judgeReplicas(replicas: number, ready: number, nodes: NodesView | undefined): ConditionUpdate {
  const type = "ReplicasReady";
  if (nodes?.state === "unknown") {
    const { reason, message, isError } = nodes;
    return isError
      ? { type, status: "False", severity: "Error", reason, message }
      : { type, status: "Unknown", reason, message };
  }
  const [disputed] = nodes?.count.disputed ?? [];
  if (disputed !== undefined) {
    const message = `Several Nodes have the provider id ${disputed}; at most one of them can be the machine`;
    return { type, status: "False", severity: "Error", reason: "ProviderIDNotUnique", message };
  }
  if (ready === replicas) return { type, status: "True", reason: "AllReplicasReady" };
  const have = ready === 1 ? "1 machine has" : `${ready} machines have`;
  const message = `${have} a Node that is Ready, ${replicas} desired`;
  return { type, status: "False", severity: "Info", reason: "WaitingForReplicasReady", message };
}

type Counts = Pick<
  Frozen<Status>,
  "replicas" | "upToDateReplicas" | "nodeRefs" | "readyReplicas" | "availableReplicas" | "versions"
>;

function countsOf(pool: Frozen<MachinePool>, { infrastructure, nodes }: Observed): Counts {
  const { status = {} } = pool;
  // If the infrastructure cannot be read, the earlier values stay.
  const machines = infrastructure?.state === "found" ? infrastructure.object : pool;
  const replicas = replicasOf(machines) ?? status.replicas;
  const upToDateReplicas = upToDateReplicasOf(machines);
  const known = nodes?.state === "counted" ? nodes.count : countedBefore(status);
  return {
    ...(replicas !== undefined && { replicas }),
    ...(upToDateReplicas !== undefined && { upToDateReplicas }),
    nodeRefs: known.refs,
    readyReplicas: known.ready,
    availableReplicas: known.available,
    ...(known.versions.length > 0 && { versions: known.versions }),
  };
}

function countedBefore({
  nodeRefs = [],
  readyReplicas = 0,
  availableReplicas = 0,
  versions = [],
}: Frozen<Status>): Pick<NodeCount, "refs" | "ready" | "available"> & {
  readonly versions: NonNullable<Frozen<Status>["versions"]>;
} {
  return { refs: nodeRefs, ready: readyReplicas, available: availableReplicas, versions };
}

/** Cluster API's phases. */
function phaseOf(pool: Frozen<MachinePool>, fields: Partial<Status>): NonNullable<Status["phase"]> {
  if (pool.metadata.deletionTimestamp !== undefined) return "Deleting";
  if (!fields.initialization?.infrastructureProvisioned) return phaseBefore(fields);
  const missing = (pool.spec.replicas ?? 1) - (fields.readyReplicas ?? 0);
  if (missing === 0) return "Running";
  if (isExternallyScaled(pool)) return "Scaling";
  return missing < 0 ? "ScalingDown" : "ScalingUp";
}

function phaseBefore({ nodeRefs = [], initialization }: Partial<Status>): NonNullable<Status["phase"]> {
  if (nodeRefs.length > 0) return "Provisioned";
  return initialization?.bootstrapDataSecretCreated ? "Provisioning" : "Pending";
}

function failureIn({
  bootstrap,
  infrastructure,
}: Observed): Pick<DeprecatedFields, "failureReason" | "failureMessage"> {
  for (const seen of [infrastructure, bootstrap]) {
    const failure = seen?.state === "found" ? failureOf(seen.object) : undefined;
    if (seen && failure) {
      const failureMessage = `${seen.target.text} has failed: ${failure.message}`.slice(0, 10_240);
      return { failureReason: failure.reason, failureMessage };
    }
  }
  return { failureReason: undefined, failureMessage: undefined };
}
