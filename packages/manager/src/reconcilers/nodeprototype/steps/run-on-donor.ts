import type { JsonObject } from "@capstan/api";
import { type AzureScope, donorID, objectIn, read, stateOf, textIn } from "../gallery/azure-reads.ts";
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
  const view = objectIn(body, "properties", "instanceView");
  return isExecuting(body, textIn(view, "executionState")) ? undefined : view;
}

function isExecuting(body: JsonObject, execution: string): boolean {
  const state = stateOf(body);
  const isWritten = state === "Succeeded" || state === "Failed";
  return !isWritten || execution === "Running" || execution === "Pending";
}
