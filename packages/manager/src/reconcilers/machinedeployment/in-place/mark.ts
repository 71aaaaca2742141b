import { DELETE_MACHINE_ANNOTATION, Machine } from "@capstan/api";
import type { DeploymentAction } from "@capstan/plan";
import type { Scope } from "../scope.ts";
import { machineNamed } from "./move.ts";

type MarkAction = DeploymentAction & { readonly action: "MarkMachine" };

/**
 * Marks a machine that its set deletes first. The set is scaled down after that, so it deletes this machine and not another
 * one. The write is refused if the machine has changed since it was read: it may have got its Node.
 */
export async function markMachine(scope: Scope, { targets, detail: { cause } }: MarkAction): Promise<void> {
  const [name = ""] = targets;
  const machine = machineNamed(scope, name);
  if (!machine) return;
  const { namespace, resourceVersion } = machine.metadata;
  const body = { metadata: { resourceVersion, annotations: { [DELETE_MACHINE_ANNOTATION]: cause } } };
  await scope.context.client.patch(Machine, { name, namespace }, { type: "merge", body });
}
