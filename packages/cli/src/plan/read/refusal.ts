import { type AzureMachinePool, type Frozen, getCondition } from "@capstan/api";
import { objectOf, type PoolBlock } from "../print/pool-block.ts";

// Conditions of a pool that report what its controller could not do; the first one has Azure's message.
const REPORTING_CONDITIONS = ["ScaleSetRunning", "Ready"];

/**
 * What was refused for good, until a user changes something. While an operation runs, a later attempt is in progress,
 * and the condition is about an earlier one.
 */
export function refusalOf(pool: Frozen<AzureMachinePool>): PoolBlock | undefined {
  const { conditions, operation } = pool.status ?? {};
  if (operation !== undefined) return undefined;
  const said = REPORTING_CONDITIONS.map((type) => getCondition(conditions, type)).find(
    (condition) => condition?.status === "False" && condition.severity === "Error",
  );
  if (!said) return undefined;
  const why = `${said.reason}: ${said.message ?? "no message"}`;
  return { ...objectOf(pool), reason: "Refused", targets: [pool.metadata.name], why };
}
