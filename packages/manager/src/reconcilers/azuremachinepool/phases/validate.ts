import { AzureMachinePool, formatFieldError } from "@capstan/api";
import { failedCondition, next, type Outcome, terminal } from "@capstan/runtime";
import { needsUltraDisks } from "../../../virtual-machine/profile.ts";
import { regionIfKnown } from "../../../virtual-machine/region-if-known.ts";
import { sizeProblem } from "../../../virtual-machine/size-problem.ts";
import { hasBegun } from "../build-scope.ts";
import { type NormalScope, SCALE_SET_RUNNING } from "../scope.ts";
import { nodeSubnetsOf } from "../../../azure-cluster/spec-view.ts";

/**
 * Reports a spec that cannot be built, before anything is written. The pool keeps its machines: those that users delete are
 * still deleted, and the status is still updated.
 */
export async function validate(scope: NormalScope): Promise<Outcome> {
  const problem = problemOf(scope) ?? (await sizeProblemOf(scope));
  if (!problem) return next;
  const failure = terminal(problem.reason, problem.message);
  scope.context.setCondition(failedCondition(SCALE_SET_RUNNING, failure));
  if (!hasBegun(scope.pool)) throw failure;
  scope.specProblem = failure;
  return next;
}

interface Problem {
  readonly reason: string;
  readonly message: string;
}

function problemOf(scope: NormalScope): Problem | undefined {
  const invalid = invalidIn(scope);
  if (invalid !== "") return { reason: "InvalidSpec", message: invalid };
  const notYet = unsupported(scope);
  if (notYet !== undefined) return { reason: "NotSupported", message: notYet };
  const message = versionProblem(scope) ?? subnetProblem(scope);
  return message === undefined ? undefined : { reason: "InvalidSpec", message };
}

const FIELDS = {
  size: "spec.template.vmSize",
  zones: "spec.failureDomains of the MachinePool",
  disks: "spec.template.dataDisks",
} as const;

async function sizeProblemOf({
  pool,
  shared,
  azureTarget,
  desired,
}: NormalScope): Promise<Problem | undefined> {
  const { location, arm, plan } = azureTarget;
  const { subscriptionID } = plan;
  const region = await regionIfKnown(shared.ports.regionSizes, arm, { subscriptionID, location });
  if (!region) return undefined;
  const message = sizeProblem(region, {
    fields: FIELDS,
    location,
    size: desired.model.sku,
    zones: desired.model.zones,
    needsUltraDisks: needsUltraDisks(pool.spec.template),
    exists: hasBegun(pool),
  });
  return message === undefined ? undefined : { reason: "VMSizeUnsuitable", message };
}

/** The problem of the spec by itself; checked once for each generation. */
function invalidIn({ pool, poolCache }: NormalScope): string {
  const { generation } = pool.metadata;
  const { validation } = poolCache;
  if (validation && validation.generation === generation) return validation.problem;
  // Validated as an update of itself: values that a stored pool may keep are not errors.
  const problem = AzureMachinePool.validate({ object: pool, old: pool }).map(formatFieldError).join("; ");
  if (generation !== undefined) poolCache.validation = { generation, problem };
  return problem;
}

function unsupported({ pool }: NormalScope): string | undefined {
  const { spec } = pool;
  if (spec.orchestrationMode === "Flexible")
    return 'spec.orchestrationMode: "Flexible" is not supported yet; use Uniform';
  if (spec.template.osDisk.osType === "Windows")
    return 'spec.template.osDisk.osType: "Windows" is not supported; use Linux';
  if (spec.identity === "SystemAssigned")
    return 'spec.identity: "SystemAssigned" needs a role assignment, which is not made yet; use UserAssigned with an identity that has its roles';
  return undefined;
}

/** Without an image in the spec the version selects the reference image, so it must be set. */
function versionProblem({ pool, owners }: NormalScope): string | undefined {
  const { version } = owners.machinePool.spec.template.spec;
  return version === undefined && !pool.spec.template.image
    ? "spec.template.image is not set and neither is spec.template.spec.version of the MachinePool; set one of them"
    : undefined;
}

function subnetProblem({ pool, azureTarget }: NormalScope): string | undefined {
  const { plan } = azureTarget;
  const all = (plan.spec.networkSpec?.subnets ?? []).map(({ name }) => name);
  const interfaces = pool.spec.template.networkInterfaces ?? [{}];
  for (const [index, { subnetName }] of interfaces.entries()) {
    const field = `spec.template.networkInterfaces[${index}].subnetName`;
    if (subnetName !== undefined && !all.includes(subnetName))
      return `${field}: ${JSON.stringify(subnetName)} is not a subnet of the AzureCluster; its subnets are ${all.join(", ")}`;
    // The first of several, so that a subnet that is added later does not affect existing pools.
    if (subnetName === undefined && nodeSubnetsOf(plan).length === 0)
      return `${field} is not set, and the AzureCluster has no subnet for nodes; set it to one of ${all.join(", ")}`;
  }
  return undefined;
}
