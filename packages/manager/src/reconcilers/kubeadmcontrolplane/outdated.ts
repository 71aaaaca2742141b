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
export function outdatedMachines(scope: ComparedMachines): OutdatedMachines {
  return new Map(scope.machines.map((machine) => [machine.metadata.name, reasonsOf(scope, machine)]));
}

function reasonsOf({ context, controlPlane }: ComparedMachines, machine: Frozen<Machine>): readonly string[] {
  const { cache, env } = context;
  const { name, namespace = "" } = machine.metadata;
  const config = cache.get(KubeadmConfig, {
    name: machine.spec.bootstrap.configRef?.name ?? name,
    namespace,
  });
  const pointer = { reference: machine.spec.infrastructureRef, field: "spec.infrastructureRef", namespace };
  const target = targetOf(pointer);
  // Objects of kinds that the cache does not follow yet count as up to date.
  const infrastructure = context.watch(target.kind) ? cache.get(target.kind, target.name) : undefined;
  const template = infrastructure?.metadata.annotations?.[CLONED_FROM_NAME_ANNOTATION];
  return outdatedReasons(controlPlane, { machine, config, template }, env.clock.now());
}
