import { string } from "../schema/schema.ts";
import { CONDITION_TYPE } from "../kubernetes/condition.ts";

const OWN_CONDITIONS = [
  "Ready",
  "Available",
  "HealthCheckSucceeded",
  "OwnerRemediated",
  "ExternallyRemediated",
];

/** The type of a condition of a machine that makes it unhealthy; conditions that follow from its health cannot. */
export const unhealthyMachineConditionType = string("The type of the condition.", {
  ...CONDITION_TYPE,
  rules: [
    {
      rule: `!(self in [${OWN_CONDITIONS.map((type) => `'${type}'`).join(", ")}])`,
      message: `type must not be one of: ${OWN_CONDITIONS.join(", ")}`,
    },
  ],
});
