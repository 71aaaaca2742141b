import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectMadeIn } from "../fields.ts";

/** Fills in what a secret leaves out. */
export function defaultSecret(secret: Draft): void {
  fillIn(secret, { type: "Opaque" });
}

/** Fills in what a node leaves out. The first of its ranges has a field of its own, from before there were several. */
export function defaultNode(node: Draft): void {
  const spec = objectMadeIn(node, "spec");
  const ranges = spec["podCIDRs"] as readonly string[] | undefined;
  const first = ranges?.[0];
  if (first === undefined && spec["podCIDR"] !== undefined) spec["podCIDRs"] = [spec["podCIDR"]];
  // Only where it says something else: a spec that is stored is frozen, and has it.
  if (first !== undefined && spec["podCIDR"] !== first) spec["podCIDR"] = first;
  const status = objectMadeIn(node, "status");
  if (status["capacity"]) fillIn(status, { allocatable: { ...(status["capacity"] as Fields) } });
}

/** Fills in the parts that an object of the kind always has. */
export function defaultSpec(object: Draft): void {
  objectMadeIn(object, "spec");
}
