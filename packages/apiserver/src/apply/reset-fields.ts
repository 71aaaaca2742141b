import type { Target } from "../registry/context.ts";
import { EMPTY, type FieldSet, pathSet, union } from "./field-set.ts";

const STATUS = pathSet("f:status");
const SPEC = pathSet("f:spec");
const METADATA = pathSet("f:metadata");

/** What the status endpoint of some of Kubernetes' own kinds does not write beside the spec. */
const WITH_STATUS: Readonly<Record<string, FieldSet>> = {
  "/Pod": union(pathSet("f:metadata", "f:deletionTimestamp"), pathSet("f:metadata", "f:ownerReferences")),
  "apps/Deployment": pathSet("f:metadata", "f:labels"),
  "apiextensions.k8s.io/CustomResourceDefinition": METADATA,
  "storage.k8s.io/VolumeAttachment": METADATA,
};

/** The paths that an endpoint does not write, and of which a writer there becomes no owner. */
export function resetFields({ resource, subresource }: Pick<Target, "resource" | "subresource">): FieldSet {
  const { kind, custom } = resource;
  if (subresource === "") return kind.subresources.includes("status") ? STATUS : EMPTY;
  if (subresource !== "status") return EMPTY;
  const more = custom ? undefined : WITH_STATUS[`${kind.group}/${kind.kind}`];
  return more ? union(SPEC, more) : SPEC;
}
