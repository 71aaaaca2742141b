import { type JsonObject, textAt } from "../../json.ts";

/** The hypervisor generation of a machine, by its image: marketplace skus name the second one, galleries have no other here. */
export function generationOf(body: JsonObject): "V1" | "V2" {
  const sku = textAt(body, "properties", "storageProfile", "imageReference", "sku");
  return sku === undefined || /gen-?2/i.test(sku) ? "V2" : "V1";
}
