import type { ObjectOf } from "../kind.ts";
import { defineAsoKind } from "./aso-resource.ts";

/** An Azure resource group. */
export const ResourceGroup = defineAsoKind({
  service: "resources",
  version: "v1api20200601",
  kind: "ResourceGroup",
  plural: "resourcegroups",
  description: "An Azure resource group.",
});

/** An Azure resource group. */
export type ResourceGroup = ObjectOf<typeof ResourceGroup>;
