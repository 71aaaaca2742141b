import { type Frozen, Machine, PRE_TERMINATE_HOOK_PREFIX } from "@capstan/api";
import { isNotFound } from "@capstan/runtime";
import type { Scope } from "./scope.ts";

/** The hook by which the deletion of a machine waits until its member has left etcd. */
export const CLEANUP_HOOK = `${PRE_TERMINATE_HOOK_PREFIX}/kcp-cleanup`;

/** Lets the deletion of a machine continue: nothing of it is needed any more. */
export async function releaseMachine(
  { context }: Pick<Scope, "context">,
  { metadata }: Frozen<Machine>,
): Promise<void> {
  const { name, namespace, resourceVersion, annotations = {} } = metadata;
  if (annotations[CLEANUP_HOOK] === undefined) return;
  const body = { metadata: { resourceVersion, annotations: { [CLEANUP_HOOK]: null } } };
  try {
    await context.client.patch(Machine, { name, namespace }, { type: "merge", body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
