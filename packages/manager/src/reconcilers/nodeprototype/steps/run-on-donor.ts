import type { JsonObject } from "@capstan/api";
import { type AzureScope, donorID, objectIn, read, textIn } from "../gallery/azure-reads.ts";
import { commandResultOf } from "../gallery/run-command.ts";
import { CYCLE } from "../gallery/prototype-tags.ts";
import { renewalOf } from "../scope.ts";

/** A script that the donor runs as root, once in a renewal. */
interface DonorCommand {
  readonly name: string;
  readonly script: string;
  readonly timeoutS: number;
}

/** Runs a script on the donor; returns what came of it, or undefined while it runs. */
export async function runOnDonor(
  scope: AzureScope,
  { name, script, timeoutS }: DonorCommand,
): Promise<JsonObject | undefined> {
  const { azure } = scope;
  const { cycleID } = renewalOf(scope);
  const id = `${donorID(scope)}/runCommands/${name}`;
  const body = await read(scope, id, { $expand: "instanceView" });
  if (!body || textIn(objectIn(body, "tags"), CYCLE) !== cycleID) {
    const properties = { source: { script }, timeoutInSeconds: timeoutS, asyncExecution: false };
    const command = { location: azure.location, tags: { [CYCLE]: cycleID }, properties };
    await azure.arm.put(id, command, { location: azure.location });
    return undefined;
  }
  return commandResultOf(body).isOver ? objectIn(body, "properties", "instanceView") : undefined;
}
