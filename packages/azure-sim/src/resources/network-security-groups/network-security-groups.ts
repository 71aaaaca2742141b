import { ArmError } from "../../arm/errors.ts";
import { objectsAt, textAt, valueAt, type JsonObject } from "../../json.ts";
import { networkChildType } from "../network/child-type.ts";
import { inUseBy } from "../network/in-use.ts";
import type { NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";

const DIRECTIONS = ["Inbound", "Outbound"];

const noun: NetworkNoun = {
  type: "networkSecurityGroups",
  children: ["securityRules"],
  complete: ({ id, body }) => {
    const securityRules = objectsAt(body, "properties", "securityRules");
    checkRules(id, securityRules);
    return { properties: { ...propertiesOf(body), securityRules }, uses: [] };
  },
  inUse: (world, resource) => inUseBy(world, resource, "InUseNetworkSecurityGroupCannotBeDeleted"),
};

function checkRules(id: string, rules: readonly JsonObject[]): void {
  const taken = new Map<string, string>();
  for (const rule of rules) {
    const name = textAt(rule, "name") ?? "";
    const direction = textAt(rule, "properties", "direction") ?? "";
    const priority = valueAt(rule, "properties", "priority");
    if (!DIRECTIONS.includes(direction))
      throw invalidRule(id, name, `direction '${direction}' is not Inbound or Outbound`);
    if (typeof priority !== "number" || priority < 100 || priority > 4096) {
      throw invalidRule(id, name, `priority ${JSON.stringify(priority)} is not between 100 and 4096`);
    }
    const other = taken.get(`${direction}/${priority}`);
    if (other !== undefined) {
      throw new ArmError(400, {
        code: "SecurityRuleConflict",
        message: `Security rule ${other} conflicts with rule ${name}. Rules cannot have the same Priority and Direction.`,
        details: [],
      });
    }
    taken.set(`${direction}/${priority}`, name);
  }
}

function invalidRule(id: string, name: string, why: string): ArmError {
  return new ArmError(400, {
    code: "SecurityRuleInvalid",
    message: `Security rule ${id}/securityRules/${name} is invalid: ${why}.`,
    details: [],
  });
}

/** Network security groups and their rules. */
export const networkSecurityGroupTypes: readonly ResourceType[] = [
  networkType(noun),
  networkChildType(noun, "securityRules"),
];
