import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectMadeIn } from "../fields.ts";

/** Sets the defaults of a secret. */
export function defaultSecret(secret: Draft): void {
  encodeStringData(secret);
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

/** Sets the defaults of a namespace: it has its name as a label. */
export function defaultNamespace(namespace: Draft): void {
  const { metadata } = namespace;
  objectMadeIn(namespace, "spec");
  if (metadata.name === "") return;
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}

/** `stringData` is a way to write `data` without encoding it; it is never stored. */
function encodeStringData(draft: Draft): void {
  const { stringData } = draft;
  delete draft["stringData"];
  if (typeof stringData !== "object" || stringData === null) return;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString("base64"),
  ]);
  draft["data"] = { ...(draft["data"] as object), ...Object.fromEntries(encoded) };
}
