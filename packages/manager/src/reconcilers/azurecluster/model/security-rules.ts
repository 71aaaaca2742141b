import type { Frozen, JsonObject, Subnet } from "@capstan/api";
import type { ClusterSpecView } from "../../../azure-cluster/spec-view.ts";
import type { Tags } from "@capstan/plan";

type SecurityGroup = NonNullable<Frozen<Subnet>["securityGroup"]>;
type SecurityRule = NonNullable<SecurityGroup["securityRules"]>[number];

/** A security group with the rules of all subnets that share it. */
export interface GroupedRules {
  readonly name: string;
  /** The first field of the spec that names it. */
  readonly field: string;
  readonly rules: readonly JsonObject[];
  readonly tags: Tags;
}

// Between the user's own rules, which usually start at 100, and Azure's, which start at 65000.
const SSH_PRIORITY = 2200;
const API_SERVER_PRIORITY = 2201;

/** The security groups of a cluster; subnets may share one, and it then has the rules of all of them. */
export function rulesBySecurityGroup(plan: ClusterSpecView): readonly GroupedRules[] {
  const groups = new Map<string, GroupedRules>();
  for (const [index, { securityGroup, role }] of (plan.spec.networkSpec?.subnets ?? []).entries()) {
    if (!securityGroup?.name) continue;
    const key = securityGroup.name.toLowerCase();
    const field = `spec.networkSpec.subnets[${index}].securityGroup`;
    const known = groups.get(key) ?? { name: securityGroup.name, field, rules: [], tags: {} };
    const more = rulesOf(plan, securityGroup, role).filter(
      ({ name }) => !known.rules.some((rule) => rule["name"] === name),
    );
    groups.set(key, {
      ...known,
      rules: [...known.rules, ...more.map(ruleBody)],
      tags: { ...known.tags, ...securityGroup.tags },
    });
  }
  return [...groups.values()];
}

/** Without rules in the spec, a control plane gets rules for SSH and its API, as in CAPZ. */
function rulesOf(
  plan: ClusterSpecView,
  { securityRules = [] }: SecurityGroup,
  role: string,
): readonly SecurityRule[] {
  const hasControlPlane = role === "control-plane" || role === "cluster";
  if (securityRules.length > 0 || !hasControlPlane || plan.spec.controlPlaneEnabled === false)
    return securityRules;
  return [
    inbound({ name: "allow_ssh", description: "Allow SSH", priority: SSH_PRIORITY, port: 22 }),
    inbound({
      name: "allow_apiserver",
      description: "Allow K8s API Server",
      priority: API_SERVER_PRIORITY,
      port: plan.apiServerPort,
    }),
  ];
}

function inbound({
  port,
  ...rule
}: Pick<SecurityRule, "name" | "description" | "priority"> & { port: number }): SecurityRule {
  return { ...rule, protocol: "Tcp", direction: "Inbound", destinationPorts: String(port) };
}

function ruleBody(rule: SecurityRule): JsonObject {
  const { name, description, protocol, direction, priority, sources, action = "Allow" } = rule;
  const anywhere = "*";
  return {
    name,
    properties: {
      description,
      protocol,
      direction,
      priority,
      access: action,
      sourcePortRange: rule.sourcePorts ?? anywhere,
      destinationPortRange: rule.destinationPorts ?? anywhere,
      ...(sources ? { sourceAddressPrefixes: sources } : { sourceAddressPrefix: rule.source ?? anywhere }),
      destinationAddressPrefix: rule.destination ?? anywhere,
    },
  };
}
