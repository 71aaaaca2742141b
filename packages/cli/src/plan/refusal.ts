import { type AzureMachinePool, type Frozen, getCondition } from "@capstan/api";
import { objectOf, type PoolBlock } from "./pool-block.ts";

// Conditions of a pool that say what its controller could not do; the first says it in Azure's words.
const TELLING = ["ScaleSetRunning", "Ready"];

/**
 * What was refused for good, and stays so until somebody changes something. While an operation runs, a later try is
 * under way, and what is said is about an earlier one.
 */
export function refusalOf(pool: Frozen<AzureMachinePool>): PoolBlock | undefined {
  const { conditions, operation } = pool.status ?? {};
  if (operation !== undefined) return undefined;
  const said = TELLING.map((type) => getCondition(conditions, type)).find(
    (condition) => condition?.status === "False" && condition.severity === "Error",
  );
  if (!said) return undefined;
  const why = `${said.reason}: ${said.message ?? "no message"}`;
  return { ...objectOf(pool), reason: "Refused", targets: [pool.metadata.name], why };
}
