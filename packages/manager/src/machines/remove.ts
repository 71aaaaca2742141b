import { Machine } from "@capstan/api";
import { deleteIfExists } from "@capstan/runtime";
import type { OwnerScope } from "./owner.ts";

/** Deletes a machine by its UID; returns whether there was one to delete. */
export async function deleteMachine(
  { context, machines }: Pick<OwnerScope, "context" | "machines">,
  name: string,
): Promise<boolean> {
  const metadata = machines.find((machine) => machine.metadata.name === name)?.metadata;
  return metadata !== undefined && (await deleteIfExists(context.client, Machine, metadata));
}
