import type { Frozen, Machine, StandardConditionUpdate } from "@capstan/api";

/** A block of a plan, and the machines that it holds up. */
interface Block {
  readonly reason: string;
  readonly targets: readonly string[];
  readonly why: string;
}

const NEVER = "CannotBeRemediated";

/**
 * The answer of an owner about a machine that a health check asks it to replace; undefined until the owner has decided. The
 * health check has asked by the same condition.
 */
export function ownerRemediated(
  { metadata }: Frozen<Machine>,
  blocked: readonly Block[],
): StandardConditionUpdate | undefined {
  const condition = { type: "OwnerRemediated", status: "False" } as const;
  if (metadata.deletionTimestamp !== undefined)
    return { ...condition, reason: "MachineDeleting", message: "The machine is being deleted" };
  const block = blocked.find(({ targets }) => targets.includes(metadata.name));
  if (!block) return undefined;
  return {
    ...condition,
    reason: block.reason === NEVER ? NEVER : "RemediationDeferred",
    message: block.why,
  };
}
