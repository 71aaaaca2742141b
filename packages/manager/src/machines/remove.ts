import { Machine } from "@capstan/api";
import { isNotFound } from "@capstan/runtime";
import type { OwnerScope } from "./owner.ts";

/** Deletes a machine by its UID; returns whether there was one to delete. */
export async function deleteMachine(
  { context, machines }: Pick<OwnerScope, "context" | "machines">,
  name: string,
): Promise<boolean> {
  const metadata = machines.find((machine) => machine.metadata.name === name)?.metadata;
  if (!metadata) return false;
  const { namespace, uid } = metadata;
  try {
    await context.client.delete(Machine, { name, namespace }, uid === undefined ? {} : { uid });
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}
