import { versionedReference } from "./references.ts";
import { type FieldRule, inItems, moved, seconds } from "./rules.ts";

/** The rules of a health check below a path, as MachineHealthChecks and the topology of a cluster have it. */
export function healthCheck(older: string, newer: string): FieldRule[] {
  const nodes = `${newer}.checks.unhealthyNodeConditions`;
  const machines = `${newer}.checks.unhealthyMachineConditions`;
  const rules = [seconds("timeout", "timeoutSeconds")];
  return [
    moved(`${older}.unhealthyConditions`, nodes),
    inItems({ list: nodes, olderList: `${older}.unhealthyConditions`, key: "type", rules }),
    moved(`${older}.unhealthyMachineConditions`, machines),
    inItems({ list: machines, olderList: `${older}.unhealthyMachineConditions`, key: "type", rules }),
    seconds(`${older}.nodeStartupTimeout`, `${newer}.checks.nodeStartupTimeoutSeconds`),
    moved(`${older}.maxUnhealthy`, `${newer}.remediation.triggerIf.unhealthyLessThanOrEqualTo`),
    moved(`${older}.unhealthyRange`, `${newer}.remediation.triggerIf.unhealthyInRange`),
    versionedReference(`${older}.remediationTemplate`, `${newer}.remediation.templateRef`),
  ];
}
