import type { Draft, StoredObject } from "../../storage/storage.ts";
import { fillIn, objectIn, objectMadeIn } from "../fields.ts";

const ONE_FAMILY = { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
const BOTH_FAMILIES = { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" };

/** Fields that accompany the address of a service. This server has no network, and allocates no addresses. */
export function prepareService(draft: Draft, old: StoredObject | undefined): void {
  const spec = objectMadeIn(draft, "spec");
  if (!old) draft["status"] = { loadBalancer: {} };
  if (spec["type"] === "ExternalName") return;
  const before = old ? objectIn(old, "spec") : {};
  for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
    if (before[name] !== undefined) fillIn(spec, { [name]: before[name] });
  if (spec["clusterIP"] !== undefined) fillIn(spec, { clusterIPs: [spec["clusterIP"]] });
  // Pods without a selector may have addresses of either family.
  fillIn(spec, spec["clusterIP"] === "None" && !spec["selector"] ? BOTH_FAMILIES : ONE_FAMILY);
}
