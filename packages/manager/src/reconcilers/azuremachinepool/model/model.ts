import {
  type AzureCluster,
  type AzureMachinePool,
  baseImageOf,
  type Frozen,
  isPromotedInSpec,
  type JsonObject,
  type MachinePool,
} from "@capstan/api";
import {
  clusterPlanOf,
  nodeOutboundPoolID,
  nodeSubnetsOf,
  subnetID,
} from "../../../azure-cluster/spec-view.ts";
import { RESTARTED_AT_ANNOTATION } from "@capstan/plan";
import { capabilitiesOf, identityBody } from "../../../virtual-machine/profile.ts";
import { purchasePlan } from "../../../virtual-machine/purchase-plan.ts";
import { vmProfile } from "./vm-profile.ts";

/** The input of the desired model. */
export interface ModelFacts {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName: string;
  readonly subscriptionID: string;
}

/** The desired model of instances, in the parts that the body of the scale set needs. */
export interface ScaleSetModel {
  readonly sku: string;
  readonly zones: readonly string[];
  readonly identity: JsonObject | undefined;
  readonly capabilities: JsonObject | undefined;
  readonly profile: JsonObject;
  /** The purchase plan of the image, if it has one. */
  readonly plan?: JsonObject;
}

/**
 * The pool with the image that its user has chosen. An image of its own nodes in the spec is not part of the model: the machines
 * from before would count as outdated, and be replaced.
 */
function withBaseImage(pool: Frozen<AzureMachinePool>): Frozen<AzureMachinePool> {
  const image = isPromotedInSpec(pool) ? baseImageOf(pool) : undefined;
  return image ? { ...pool, spec: { ...pool.spec, template: { ...pool.spec.template, image } } } : pool;
}

/** The desired model of a pool. */
export function scaleSetModelOf(facts: ModelFacts): ScaleSetModel {
  const { machinePool } = facts;
  const pool = withBaseImage(facts.pool);
  const cluster = clusterPlanOf(facts);
  const outboundPoolID = nodeOutboundPoolID(cluster);
  const { template } = pool.spec;
  const plan = purchasePlan(template.image);
  return {
    sku: template.vmSize,
    zones: [...(machinePool.spec.failureDomains ?? [])].sort(),
    identity: identityBody(pool.spec),
    capabilities: capabilitiesOf(template),
    profile: vmProfile(pool, {
      name: pool.metadata.name,
      version: machinePool.spec.template.spec.version ?? "",
      subnetID: (name) => subnetID(cluster, name ?? nodeSubnetsOf(cluster)[0] ?? ""),
      ...(outboundPoolID !== undefined && { outboundPoolID }),
    }),
    ...(plan && { plan }),
  };
}

/** The input of the hash: everything that makes two machines differ, and nothing that leaves a machine up to date. */
export function hashedModel(facts: ModelFacts): JsonObject {
  const restartedAt = facts.pool.metadata.annotations?.[RESTARTED_AT_ANNOTATION];
  return {
    ...scaleSetModelOf(facts),
    version: facts.machinePool.spec.template.spec.version,
    ...(restartedAt !== undefined && { restartedAt }),
  };
}
