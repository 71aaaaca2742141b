import { explainedBy, next, type Outcome } from "@capstan/runtime";
import { keepCloudConfig } from "../../../azure-cluster/cloud-config-secret.ts";
import { SCALE_SET_RUNNING, type Scope } from "../scope.ts";

/**
 * Keeps the cloud-provider config, then gets the credentials for Azure. The config comes first, and also while the pool
 * still waits: the bootstrap data that the pool waits for may be made from it.
 */
export async function prepare(scope: Scope): Promise<Outcome> {
  try {
    if (scope.kind === "waiting") await keepConfig(scope, scope.clusterName);
    if (scope.kind === "normal") await keepConfig(scope, scope.azureTarget.plan.clusterName);
    if (scope.kind === "waiting") throw scope.reason;
    await scope.azureTarget?.connect();
  } catch (error) {
    throw explainedBy(scope.context, SCALE_SET_RUNNING, error);
  }
  return next;
}

async function keepConfig({ shared, context, poolCache }: Scope, clusterName: string): Promise<void> {
  const { object: owner } = context;
  const request = { owner, machines: owner.spec, clusterName, checked: poolCache.cloudConfig };
  poolCache.cloudConfig = await keepCloudConfig(shared.ports, context, request);
}
