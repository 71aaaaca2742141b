import { healthCheck } from "./health-check.ts";
import { deletionTimeouts } from "./machine-spec.ts";
import { type FieldRule, inItems, moved, olderOnly } from "./rules.ts";

/** The rules for the topology of a cluster. */
export function clusterTopology(path: string): FieldRule[] {
  const controlPlane = `${path}.controlPlane`;
  return [
    moved(`${path}.class`, `${path}.classRef.name`),
    moved(`${path}.classNamespace`, `${path}.classRef.namespace`),
    olderOnly(`${path}.rolloutAfter`),
    variables(`${path}.variables`),
    ...deletionTimeouts(controlPlane, `${controlPlane}.deletion`),
    ...machineHealthCheck(`${controlPlane}.machineHealthCheck`, `${controlPlane}.healthCheck`),
    variables(`${controlPlane}.variables.overrides`),
    inItems({ list: `${path}.workers.machineDeployments`, key: "name", rules: DEPLOYMENT }),
    inItems({
      list: `${path}.workers.machinePools`,
      key: "name",
      rules: [...deletionTimeouts("", "deletion"), variables("variables.overrides")],
    }),
  ];
}

const DEPLOYMENT: readonly FieldRule[] = [
  moved("strategy.rollingUpdate.deletePolicy", "deletion.order"),
  moved("strategy.remediation.maxInFlight", "healthCheck.remediation.maxInFlight"),
  moved("strategy", "rollout.strategy"),
  ...deletionTimeouts("", "deletion"),
  ...machineHealthCheck("machineHealthCheck", "healthCheck"),
  variables("variables.overrides"),
];

function machineHealthCheck(older: string, newer: string): FieldRule[] {
  return [moved(`${older}.enable`, `${newer}.enabled`), ...healthCheck(older, newer)];
}

/** Variables of the newer version do not name the place of their definition. */
function variables(list: string): FieldRule {
  return inItems({ list, key: "name", rules: [olderOnly("definitionFrom")] });
}
