import { AzureMachinePoolMachine } from "@capstan/api";
import { CommandError } from "../../command-error.ts";
import { DUMP_COMMAND } from "./dump-command.ts";
import { titleOf } from "./given-objects.ts";
import type { PoolParts } from "../planners/pool-parts.ts";

/** Throws when a pool of a dump counts machines and the dump has none of them: the pool would look empty. */
export function refuseMissingMachines({ pool, machines }: PoolParts): void {
  const said = countIn(pool);
  if (machines.length > 0 || said === undefined) return;
  throw new CommandError(
    `${titleOf(pool)} has ${said}, but the dump has no ${AzureMachinePoolMachine.kind} of it; add them with ${DUMP_COMMAND}`,
  );
}

/** The number of machines that a pool reports; undefined if it reports none. */
function countIn({ spec, status }: PoolParts["pool"]): string | undefined {
  const { providerIDList = [] } = spec;
  if (providerIDList.length > 0) return `a spec.providerIDList of ${providerIDList.length}`;
  const { replicas = 0 } = status ?? {};
  return replicas > 0 ? `status.replicas ${replicas}` : undefined;
}
