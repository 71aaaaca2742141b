import { PENDING_HOOKS_ANNOTATION, UPDATE_MACHINE_HOOK, UPDATED_FROM_VERSION_ANNOTATION } from "@capstan/api";

/** The annotations of a machine whose desired state is complete: updaters may run, and whether they change its version. */
export function startAnnotations(
  before: string | undefined,
  after: string | undefined,
): Readonly<Record<string, string>> {
  return {
    [PENDING_HOOKS_ANNOTATION]: UPDATE_MACHINE_HOOK,
    ...(after !== undefined && after !== before && { [UPDATED_FROM_VERSION_ANNOTATION]: before ?? "" }),
  };
}
