import { type Frozen, KubeadmConfig, type KubeadmControlPlane, type Machine } from "@capstan/api";
import { outdatedReasons } from "@capstan/plan";
import { CLONED_FROM_NAME_ANNOTATION } from "../../contract/clone-template.ts";
import { targetOf } from "../../contract/reference.ts";
import type { DecisionContext } from "../../in-place/decisions.ts";

/** The part of a pass that compares machines with the desired state. */
interface ComparedMachines {
  readonly context: DecisionContext;
  readonly controlPlane: Frozen<KubeadmControlPlane>;
  readonly machines: readonly Frozen<Machine>[];
}

/** Why machines differ from the desired state, by name; empty for those that do not. */
export type OutdatedMachines = ReadonlyMap<string, readonly string[]>;

/** Compares all machines with the desired state. */
export async function outdatedMachines(scope: ComparedMachines): Promise<OutdatedMachines> {
  const reasons = new Map<string, readonly string[]>();
  for (const machine of scope.machines) reasons.set(machine.metadata.name, await reasonsOf(scope, machine));
  return reasons;
}

async function reasonsOf(
  { context, controlPlane }: ComparedMachines,
  machine: Frozen<Machine>,
): Promise<readonly string[]> {
  const { cache, env } = context;
  const { name, namespace = "" } = machine.metadata;
  const config = cache.get(KubeadmConfig, {
    name: machine.spec.bootstrap.configRef?.name ?? name,
    namespace,
  });
  const pointer = { reference: machine.spec.infrastructureRef, field: "spec.infrastructureRef", namespace };
  const target = await targetOf(context.client, pointer);
  // Objects of kinds that the cache does not follow yet count as up to date.
  const infrastructure = context.watch(target.kind) ? cache.get(target.kind, target.name) : undefined;
  const template = infrastructure?.metadata.annotations?.[CLONED_FROM_NAME_ANNOTATION];
  return outdatedReasons(controlPlane, { machine, config, template }, env.clock.now());
}
