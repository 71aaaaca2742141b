import {
  type Frozen,
  Machine,
  PENDING_HOOKS_ANNOTATION,
  UPDATE_MACHINE_HOOK,
  UPDATED_FROM_VERSION_ANNOTATION,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import type { MachineOwner } from "../machines/owner.ts";

/** Writes the desired fields of a machine, and the sign that its desired state is complete: updaters may run. */
export async function startUpdate(
  client: Client,
  { version, failureDomain }: Pick<MachineOwner, "version" | "failureDomain">,
  { metadata, spec }: Frozen<Machine>,
): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  const body = {
    metadata: { resourceVersion, annotations: startAnnotations(spec.version, version) },
    spec: { version: version ?? null, ...(failureDomain !== undefined && { failureDomain }) },
  };
  await client.patch(Machine, { name, namespace }, { type: "merge", body });
}

/** That updaters may run, and whether they change the version. */
function startAnnotations(
  before: string | undefined,
  after: string | undefined,
): Readonly<Record<string, string>> {
  return {
    [PENDING_HOOKS_ANNOTATION]: UPDATE_MACHINE_HOOK,
    ...(after !== undefined && after !== before && { [UPDATED_FROM_VERSION_ANNOTATION]: before ?? "" }),
  };
}
