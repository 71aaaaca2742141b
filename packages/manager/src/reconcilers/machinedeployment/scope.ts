import {
  Cluster,
  type Features,
  type Frozen,
  HANDS_OVER_MACHINES_ANNOTATION,
  Machine,
  type MachineDeployment,
  MachineSet,
  RECEIVES_MACHINES_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
} from "@capstan/api";
import type { Context, Editable, Gauge, MetricRegistry } from "@capstan/runtime";
import type { DeploymentPlan } from "@capstan/plan";
import { controlledBy } from "../../contract/indexes.ts";
import type { UpdaterPorts } from "../../in-place/hooks/updaters.ts";
import { isInPlace } from "../../in-place/strategy.ts";

/** The connections of the controller; without updaters, no machine is updated in place. */
export interface MachineDeploymentPorts {
  readonly features?: Features;
  readonly updaters?: UpdaterPorts;
  /** The registry for the number of machines that are updated; without it they are not counted. */
  readonly metrics?: MetricRegistry | undefined;
}

/** One pass over one MachineDeployment. */
export interface Scope {
  readonly context: Context<MachineDeployment>;
  readonly ports: MachineDeploymentPorts;
  /** How many machines are updated in place, by namespace, deployment and state. */
  readonly updating: Gauge | undefined;
  readonly deployment: Editable<MachineDeployment>;
  /** The Cluster of the deployment, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  /** The MachineSets of the deployment in the cache. */
  readonly sets: readonly Frozen<MachineSet>[];
  /** Their machines by the UID of the set; empty unless machines are updated in place, or were about to be. */
  readonly machines: ReadonlyMap<string, readonly Frozen<Machine>[]>;
  plan?: DeploymentPlan;
  /** Why machines of the template could not join their cluster; only known if machines are updated in place. */
  preflight?: readonly string[];
}

/** The name of the index over MachineSets without a controller, by namespace. */
export const BY_ORPHAN = "set-orphans";

export function buildScope(
  { ports, updating }: Pick<Scope, "ports" | "updating">,
  context: Context<MachineDeployment>,
): Scope {
  const { object: deployment, cache } = context;
  const { namespace } = deployment.metadata;
  const cluster = cache.get(Cluster, { name: deployment.spec.clusterName, namespace });
  const sets = controlledBy(cache, MachineSet, deployment);
  const needsMachines = isInPlace(deployment.spec.rollout?.strategy) || sets.some(hasRecords);
  const machines = new Map(
    (needsMachines ? sets : []).map((set) => [set.metadata.uid ?? "", controlledBy(cache, Machine, set)]),
  );
  return { context, ports, updating, deployment, cluster, sets, machines };
}

const RECORDS: readonly string[] = [
  RECEIVES_MACHINES_ANNOTATION,
  HANDS_OVER_MACHINES_ANNOTATION,
  SPARE_MACHINE_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
];

function hasRecords({ metadata }: Frozen<MachineSet>): boolean {
  const { annotations = {} } = metadata;
  return RECORDS.some((name) => name in annotations);
}
