import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectMadeIn } from "../fields.ts";

/** Sets the defaults of a secret. */
export function defaultSecret(secret: Draft): void {
  fillIn(secret, { type: "Opaque" });
}

/** Sets the defaults of a node. Its first range has a field of its own, from before nodes could have several. */
export function defaultNode(node: Draft): void {
  const spec = objectMadeIn(node, "spec");
  const ranges = spec["podCIDRs"] as readonly string[] | undefined;
  const first = ranges?.[0];
  if (first === undefined && spec["podCIDR"] !== undefined) spec["podCIDRs"] = [spec["podCIDR"]];
  // Only if it differs: a stored spec is frozen, and has it.
  if (first !== undefined && spec["podCIDR"] !== first) spec["podCIDR"] = first;
  const status = objectMadeIn(node, "status");
  if (status["capacity"]) fillIn(status, { allocatable: { ...(status["capacity"] as Fields) } });
}

/** Creates the parts that an object of the kind always has. */
export function defaultSpec(object: Draft): void {
  objectMadeIn(object, "spec");
}
