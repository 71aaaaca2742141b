import type { KubernetesObject } from "@capstan/api";
import { type Context, Failure } from "@capstan/runtime";
import { type Adopter, adopt } from "./adoption.ts";
import type { Pointer } from "./reference.ts";
import { resolve, type ResolvedReference } from "./resolve.ts";

/** A reference, and the condition of its owner that reports on it. */
export interface ReferenceOptions extends Omit<Pointer, "namespace"> {
  readonly condition: string;
}

/**
 * Resolves a reference and sets owner reference and cluster label of the object it names. A reference that the user has
 * to correct is reported in its condition and ends the pass.
 */
export async function reconcileReference<T extends KubernetesObject>(
  context: Context<T>,
  { reference, field, condition }: ReferenceOptions,
  adopter: Adopter,
): Promise<ResolvedReference> {
  try {
    const { namespace = "" } = adopter.owner.metadata;
    const resolved = await resolve(context, { reference, field, namespace });
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
