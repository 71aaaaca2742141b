import { AzureMachinePoolMachine, type Frozen, getCondition } from "@capstan/api";

/** A drain that pods hold up, from the condition of its machine; printed like a block of a pool. */
export interface BlockedDrain {
  readonly controller: "azuremachinepoolmachine";
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly reason: "DrainBlocked";
  /** The machine. */
  readonly targets: readonly string[];
  readonly why: string;
}

/** The blocked drains. Without them a user would only see machines that do not go away, and no reason. */
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
