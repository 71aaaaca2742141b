import { AzureMachine, formatFieldError, unsupportedErrors } from "@capstan/api";
import { next, type Outcome, terminal } from "@capstan/runtime";
import { subnetsFor } from "./bodies.ts";
import { locationOf } from "../../azure-cluster/spec-view.ts";
import { needsUltraDisks } from "../../virtual-machine/profile.ts";
import { regionIfKnown } from "../../virtual-machine/region-if-known.ts";
import { sizeProblem } from "../../virtual-machine/size-problem.ts";
import { blocked, hasBegun, type NormalScope } from "./scope.ts";

/** Reports a spec that cannot be built, before anything is written. A machine that exists is still observed. */
export async function refuseUnsupported(scope: NormalScope): Promise<Outcome> {
  if (scope.machine.spec.providerID !== undefined) return next;
  const { machine, context } = scope;
  const invalid = AzureMachine.validate({ object: machine, old: machine }).map(formatFieldError).join("; ");
  if (invalid !== "") throw blocked(context, terminal("InvalidSpec", invalid));
  // Admission refuses these in new objects; a machine that CAPZ left may have them.
  const notYet = unsupportedErrors("spec", machine.spec, undefined).map(formatFieldError).join("; ");
  if (notYet !== "") throw blocked(context, terminal("NotSupported", notYet));
  const problem = versionProblem(scope) ?? subnetProblem(scope);
  if (problem !== undefined) throw blocked(context, terminal("InvalidSpec", problem));
  const unsuitable = await sizeProblemOf(scope);
  if (unsuitable !== undefined) throw blocked(context, terminal("VMSizeUnsuitable", unsuitable));
  return next;
}

const FIELDS = {
  size: "spec.vmSize",
  zones: "spec.failureDomain of the Machine",
  disks: "spec.dataDisks",
} as const;

async function sizeProblemOf({ machine, facts, azure, shared }: NormalScope): Promise<string | undefined> {
  const { plan, zone } = facts;
  const { subscriptionID } = plan;
  const location = locationOf(plan);
  const region = await regionIfKnown(shared.ports.regionSizes, azure.arm, { subscriptionID, location });
  return (
    region &&
    sizeProblem(region, {
      fields: FIELDS,
      location,
      size: machine.spec.vmSize,
      zones: zone === undefined ? [] : [zone],
      needsUltraDisks: needsUltraDisks(machine.spec),
      exists: hasBegun(machine),
    })
  );
}

/** Without an image in the spec the version selects the reference image, so it must be set. */
function versionProblem({ machine, facts }: NormalScope): string | undefined {
  return facts.version === "" && !machine.spec.image
    ? "spec.image is not set and neither is spec.version of the Machine; set one of them"
    : undefined;
}

function subnetProblem({ machine, facts }: NormalScope): string | undefined {
  const { plan, isControlPlane } = facts;
  const all = (plan.spec.networkSpec?.subnets ?? []).map(({ name }) => name);
  for (const [index, { subnetName }] of (machine.spec.networkInterfaces ?? [{}]).entries()) {
    const field = `spec.networkInterfaces[${index}].subnetName`;
    if (subnetName !== undefined && !all.includes(subnetName))
      return `${field}: ${JSON.stringify(subnetName)} is not a subnet of the AzureCluster; its subnets are ${all.join(", ")}`;
    if (subnetName === undefined && subnetsFor(plan, isControlPlane).length === 0)
      return `${field} is not set, and the AzureCluster has no subnet for ${isControlPlane ? "control planes" : "nodes"}; set it to one of ${all.join(", ")}`;
  }
  return undefined;
}
