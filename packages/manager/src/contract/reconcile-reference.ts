import type { Kind, KubernetesObject } from "@capstan/api";
import { type Context, Failure } from "@capstan/runtime";
import { type Adopter, adopt } from "./adoption.ts";
import type { Pointer } from "./reference.ts";
import { look, type ResolvedReference } from "./resolve.ts";

/** A reference, the condition of the owner that tells of it, and the kinds that are in the cache. */
export interface ReferenceOptions extends Omit<Pointer, "namespace"> {
  readonly condition: string;
  readonly followed: readonly Kind[];
}

/**
 * Looks where a reference points to and makes the object there show whose it is. What only its author can put right
 * shows in the condition that belongs to the reference, and ends the pass.
 */
export async function reconcileReference<T extends KubernetesObject>(
  context: Context<T>,
  { reference, field, condition, followed }: ReferenceOptions,
  adopter: Adopter,
): Promise<ResolvedReference> {
  try {
    const { namespace = "" } = adopter.owner.metadata;
    const resolved = await look(context, { reference, field, namespace }, followed);
    await adopt(context.client, resolved, { ...adopter, field });
    return resolved;
  } catch (error) {
    if (error instanceof Failure && error.failure === "Terminal") {
      const { reason, message } = error;
      context.setCondition({ type: condition, status: "False", severity: "Error", reason, message });
    }
    throw error;
  }
}
