import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  isPausedByAnnotation,
  type Kind,
  MachinePool,
  REPLICAS_MANAGED_BY_ANNOTATION,
  resolveRolloutBudget,
} from "@capstan/api";
import type { Truth } from "../../world/truth.ts";

/** A pool with its owner, from the management cluster. */
export interface PoolRecord {
  readonly pool: Frozen<AzureMachinePool>;
  readonly owner: Frozen<MachinePool> | undefined;
  /** Whether the pool is being deleted. */
  readonly isLeaving: boolean;
  /** Whether the whole cluster is being deleted, so that its workloads need no drain. */
  readonly isClusterLeaving: boolean;
  readonly isExternallyScaled: boolean;
  /** Whether a user has paused the pool. */
  readonly isPaused: boolean;
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Looks up pools and machines in the management cluster by their names in Azure. */
export class PoolLookup {
  readonly #truth: Truth;

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  /** All pools. */
  pools(): PoolRecord[] {
    return this.#list<AzureMachinePool>(AzureMachinePool).map((pool) => this.#record(pool));
  }

  /** The pool of the scale set with this exact name. */
  poolNamed(scaleSet: string): PoolRecord | undefined {
    const name = scaleSet.toLowerCase();
    const pool = this.#list<AzureMachinePool>(AzureMachinePool).find((one) => one.metadata.name === name);
    return pool && this.#record(pool);
  }

  /** All AzureMachinePoolMachines. */
  machines(): Frozen<AzureMachinePoolMachine>[] {
    return this.#list<AzureMachinePoolMachine>(AzureMachinePoolMachine);
  }

  /** The AzureMachinePoolMachine of an instance. */
  machine({ pool }: PoolRecord, instanceID: string): Frozen<AzureMachinePoolMachine> | undefined {
    const { name, namespace } = pool.metadata;
    return this.machineNamed(`${name}-${instanceID}`, namespace);
  }

  machineNamed(name: string, namespace: string | undefined): Frozen<AzureMachinePoolMachine> | undefined {
    return this.#get<AzureMachinePoolMachine>(AzureMachinePoolMachine, name, namespace);
  }

  #record(pool: Frozen<AzureMachinePool>): PoolRecord {
    const { metadata, spec } = pool;
    const owned = metadata.ownerReferences?.find(({ kind }) => kind === MachinePool.kind);
    const owner = owned && this.#get<MachinePool>(MachinePool, owned.name, metadata.namespace);
    const cluster = this.#clusterOf(pool);
    const isClusterLeaving = isDeleted(cluster);
    const desired = owner?.spec.replicas ?? 1;
    return {
      pool,
      owner,
      isClusterLeaving,
      isLeaving: isDeleted(pool) || isDeleted(owner) || isClusterLeaving,
      isExternallyScaled: isExternallyScaled(owner),
      isPaused:
        cluster?.spec.paused === true || [pool, owner].some((one) => one && isPausedByAnnotation(one)),
      desired,
      ...resolveRolloutBudget({ ...USUAL_LIMITS, ...spec.strategy?.rollingUpdate }, desired),
    };
  }

  #clusterOf({ metadata }: Frozen<AzureMachinePool>): Frozen<Cluster> | undefined {
    return this.#get<Cluster>(Cluster, metadata.labels?.[CLUSTER_NAME_LABEL] ?? "", metadata.namespace);
  }

  #list<T>({ group, plural }: Kind): Frozen<T>[] {
    return [...this.#truth.management.list({ resource: `${group}/${plural}` })] as unknown as Frozen<T>[];
  }

  #get<T>({ group, plural }: Kind, name: string, namespace = ""): Frozen<T> | undefined {
    const key = { resource: `${group}/${plural}`, name, namespace };
    return this.#truth.management.get(key) as Frozen<T> | undefined;
  }
}

const USUAL_LIMITS = { maxSurge: 1, maxUnavailable: 0 };

function isExternallyScaled(owner: Frozen<MachinePool> | undefined): boolean {
  const manager = owner?.metadata.annotations?.[REPLICAS_MANAGED_BY_ANNOTATION];
  return manager !== undefined && manager !== "false";
}

function isDeleted(
  object: { readonly metadata: { readonly deletionTimestamp?: string } } | undefined,
): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}
