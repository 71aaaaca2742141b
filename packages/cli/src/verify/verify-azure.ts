import { type Arm, AzureError } from "@capstan/azure";
import { isJsonObject } from "@capstan/api";
import { CommandError } from "../command-error.ts";
import type { Assumption } from "./assumption.ts";
import { createNetwork, textAt } from "./resources.ts";
import { type Checked, type CheckListener, runChecks } from "./run-checks.ts";
import { createTrial, type TrialPlace, type TrialPorts } from "./trial.ts";

/** The tag of the resource groups that a verification created; nothing else is ever deleted. */
const VERIFY_TAG = "capstan-verify";

/** A verification: where it runs, and what it checks. */
export interface Verification extends CheckListener {
  readonly place: TrialPlace;
  readonly assumptions: readonly Assumption[];
}

/**
 * Creates a resource group of its own, checks the assumptions in it, and deletes it, also after a failure. Refuses a group
 * that exists: it could be in use.
 */
export async function verifyAzure(
  ports: TrialPorts,
  { place, assumptions, ...listener }: Verification,
): Promise<readonly Checked[]> {
  await createGroup(ports.arm, place);
  try {
    const trial = createTrial(ports, place);
    await createNetwork(trial);
    return await runChecks(trial, assumptions, listener);
  } finally {
    await removeGroup(ports, place);
  }
}

async function createGroup(arm: Arm, { group, location }: TrialPlace): Promise<void> {
  if (await arm.head(group))
    throw new AzureError({
      class: "Terminal",
      code: "GroupExists",
      message: `the resource group ${nameOf(group)} exists; a verification needs one of its own`,
    });
  await arm.put(group, { location, tags: { [VERIFY_TAG]: "true" } });
}

/** Deletes what a verification has created; Ctrl-C does not end that. */
async function removeGroup(ports: TrialPorts, place: TrialPlace): Promise<void> {
  try {
    await createTrial({ ...ports, signal: new AbortController().signal }, place).remove(place.group);
  } catch (error) {
    if (!(error instanceof AzureError)) throw error;
    const left = `the resource group ${nameOf(place.group)} could not be deleted and still costs money`;
    throw new CommandError(`${left}: ${error.message}; delete it with --clean-up`, { cause: error });
  }
}

/** Deletes the groups that verifications have left behind, such as after a power cut. Returns their names. */
export async function cleanUp(ports: TrialPorts, subscription: string): Promise<readonly string[]> {
  const { items: groups } = await ports.arm.list(`${subscription}/resourcegroups`, {
    query: { $filter: `tagName eq '${VERIFY_TAG}' and tagValue eq 'true'` },
  });
  // The filter is a wish; the tag decides.
  const ours = groups.filter(({ tags }) => isJsonObject(tags) && tags[VERIFY_TAG] === "true");
  for (const group of ours) {
    const id = textAt(group, "id");
    const place = { group: id, location: textAt(group, "location"), size: "", otherSize: "", password: "" };
    await removeGroup(ports, place);
  }
  return ours.map((group) => nameOf(textAt(group, "id")));
}

const nameOf = (id: string): string => id.split("/").at(-1) ?? id;
