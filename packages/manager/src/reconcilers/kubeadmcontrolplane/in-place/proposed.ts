import type { Frozen, KubeadmControlPlane, Machine } from "@capstan/api";
import { CLONED_FROM_NAME_ANNOTATION } from "../../../contract/clone-template.ts";
import { targetOf } from "../../../contract/reference.ts";
import { outdatedMachines } from "../outdated.ts";
import { controlPlaneOwner } from "../owner.ts";
import { askAboutMachines, type DecisionScope } from "./decisions.ts";

/**
 * A KubeadmControlPlane that is not stored yet, with the decisions about updates in place that its controller would record.
 * The updaters are asked; nothing is written.
 */
export async function decideProposedControlPlane(
  scope: Omit<DecisionScope, "owner" | "outdated" | "desiredParts">,
): Promise<Frozen<KubeadmControlPlane>> {
  const { controlPlane, machines } = scope;
  const clusterName = machines[0]?.spec.clusterName ?? "";
  await askAboutMachines({
    ...scope,
    owner: controlPlaneOwner({ controlPlane, machines, clusterName }),
    outdated: await outdatedMachines(scope),
    desiredParts: new Map(),
  });
  return scope.controlPlane;
}

/** The name of the template that the infrastructure of a machine was cloned from, if the cache has it. */
export async function clonedFrom(
  { cache, client }: DecisionScope["context"],
  machine: Frozen<Machine>,
): Promise<string | undefined> {
  const { namespace = "" } = machine.metadata;
  const reference = machine.spec.infrastructureRef;
  const { kind, name } = await targetOf(client, {
    reference,
    field: "spec.infrastructureRef",
    namespace,
  });
  return cache.get(kind, name)?.metadata.annotations?.[CLONED_FROM_NAME_ANNOTATION];
}
