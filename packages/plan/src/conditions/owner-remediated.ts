import type { Frozen, Machine, StandardConditionUpdate } from "@capstan/api";

/** An action or a block of a plan, and the machines that it is about. */
interface Step {
  readonly targets: readonly string[];
  readonly why: string;
}

/** The plan of an owner, as far as it says why machines are not replaced. */
export interface OwnerPlan {
  readonly actions: readonly Step[];
  readonly blocked: readonly (Step & { readonly reason: string })[];
}

const NEVER = "CannotBeRemediated";
const DEFERRED = "RemediationDeferred";

/**
 * The answer of an owner about a machine that a health check asks it to replace; undefined until the owner has decided. The
 * health check has asked by the same condition.
 */
export function ownerRemediated(
  { metadata }: Frozen<Machine>,
  plan: OwnerPlan,
): StandardConditionUpdate | undefined {
  const condition = { type: "OwnerRemediated", status: "False" } as const;
  if (metadata.deletionTimestamp !== undefined)
    return { ...condition, reason: "MachineDeleting", message: "The machine is being deleted" };
  const isNamed = ({ targets }: Step): boolean => targets.includes(metadata.name);
  const block = plan.blocked.find(isNamed);
  if (block) {
    const reason = block.reason === NEVER ? NEVER : DEFERRED;
    return { ...condition, reason, message: block.why };
  }
  // An owner that makes one change at a time names only the machines of that change; the others wait for it.
  const [first] = [...plan.blocked, ...plan.actions];
  if (!first || plan.actions.some(isNamed)) return undefined;
  const message = `Waiting for ${first.targets.join(", ")}: ${first.why}`;
  return { ...condition, reason: DEFERRED, message };
}
