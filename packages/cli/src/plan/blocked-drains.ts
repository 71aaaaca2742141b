import { AzureMachinePoolMachine, type Frozen, getCondition } from "@capstan/api";

/** A drain that pods hold up, as its machine tells of it; reads like what blocks a pool. */
export interface BlockedDrain {
  readonly controller: "azuremachinepoolmachine";
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly reason: "DrainBlocked";
  /** The machine. */
  readonly targets: readonly string[];
  readonly why: string;
}

/** The drains that do not get on; whoever only waits for machines to leave would not know for what. */
export function blockedDrains(machines: readonly Frozen<AzureMachinePoolMachine>[]): readonly BlockedDrain[] {
  return machines.flatMap(({ metadata, status }) => {
    const drained = getCondition(status?.conditions, "Drained");
    if (drained?.status !== "False" || drained.reason !== "DrainBlocked") return [];
    const { name, namespace = "default" } = metadata;
    return [
      {
        controller: "azuremachinepoolmachine" as const,
        object: { kind: AzureMachinePoolMachine.kind, namespace, name },
        reason: "DrainBlocked" as const,
        targets: [name],
        why: drained.message ?? "no message",
      },
    ];
  });
}
