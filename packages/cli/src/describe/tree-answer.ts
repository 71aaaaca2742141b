import type { Condition } from "@capstan/api";
import type { Leaf, LeafObject } from "./cluster-tree.ts";

/** A part of a cluster for programs. */
interface PartAnswer extends Partial<LeafObject> {
  /** What the part is to the cluster, or the heading above other parts. */
  readonly role?: string;
  /** What a user must know first, such as PAUSED. */
  readonly warnings?: readonly string[];
  readonly machines?: {
    readonly desired?: number;
    readonly current?: number;
    readonly available?: number;
    readonly ready?: number;
    readonly upToDate?: number;
  };
  /** The condition that sums the part up. */
  readonly condition?: Condition;
  /** Whether a user must do something; without it, what is not True yet is on its way. */
  readonly needsUser?: true;
  /** The other conditions, of the parts that --show-conditions names. */
  readonly conditions?: readonly Condition[];
  readonly parts?: readonly PartAnswer[];
}

/** A tree without the words and signs that help people to read it. */
export function treeAnswer(leaf: Leaf): PartAnswer {
  const { object, role, name, warnings, condition, needsUser, parts } = leaf;
  const conditions = parts.flatMap((part) => (isConditionLeaf(part) ? [part.condition] : []));
  const below = parts.filter((part) => !isConditionLeaf(part)).map(treeAnswer);
  const heading = object ? role : name;
  const machines = machinesOf(leaf);
  return {
    ...object,
    ...(heading !== undefined && { role: heading }),
    ...(warnings && { warnings }),
    ...(machines && { machines }),
    ...(condition && { condition }),
    ...(needsUser === true && { needsUser }),
    ...(conditions.length > 0 && { conditions }),
    ...(below.length > 0 && { parts: below }),
  };
}

/** A condition that is shown on a line of its own. */
function isConditionLeaf(leaf: Leaf): leaf is Leaf & { readonly condition: Condition } {
  return leaf.object === undefined && leaf.condition !== undefined;
}

function machinesOf({ desired, replicas, available, ready, upToDate }: Leaf): PartAnswer["machines"] {
  if (replicas === undefined && desired === undefined) return undefined;
  return {
    ...(desired !== undefined && { desired }),
    ...(replicas !== undefined && { current: replicas }),
    ...(available !== undefined && { available }),
    ...(ready !== undefined && { ready }),
    ...(upToDate !== undefined && { upToDate }),
  };
}
