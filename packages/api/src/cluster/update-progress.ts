import {
  PENDING_HOOKS_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
  UPDATE_MACHINE_HOOK,
} from "./well-known.ts";

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

/** Whether the desired state of a machine is complete, so that updaters may run. */
export function isUpdatePending({ metadata }: Annotated): boolean {
  const hooks = metadata.annotations?.[PENDING_HOOKS_ANNOTATION] ?? "";
  return hooks.split(",").includes(UPDATE_MACHINE_HOOK);
}

/** Whether a machine is being updated in place, or is about to be: it counts as not available. */
export function isUpdatingInPlace(machine: Annotated): boolean {
  return (
    machine.metadata.annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] !== undefined || isUpdatePending(machine)
  );
}

/** Whether an update in place has ended without success: the spec is no longer locked. */
export function hasUpdateFailed(
  machine: Annotated & {
    readonly status?: { readonly update?: { readonly state: string } | undefined } | undefined;
  },
): boolean {
  return isUpdatingInPlace(machine) && machine.status?.update?.state === "Failed";
}
