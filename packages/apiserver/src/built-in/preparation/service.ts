import type { Draft, StoredObject } from "../../storage/storage.ts";
import { fillIn, objectIn, objectMadeIn } from "../fields.ts";

const ONE_FAMILY = { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
const BOTH_FAMILIES = { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" };

/**
 * The address of a service and the fields that accompany it. This server has no network: the address is there for clients
 * that wait for one, such as helm.
 */
export function prepareService(draft: Draft, old: StoredObject | undefined): void {
  const spec = objectMadeIn(draft, "spec");
  if (!old) draft["status"] = { loadBalancer: {} };
  if (spec["type"] === "ExternalName") return;
  const before = old ? objectIn(old, "spec") : {};
  for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
    if (before[name] !== undefined) fillIn(spec, { [name]: before[name] });
  if (needsAddress(spec)) spec["clusterIP"] = addressFor(draft);
  fillIn(spec, { clusterIPs: [spec["clusterIP"]] });
  // Pods without a selector may have addresses of either family.
  fillIn(spec, spec["clusterIP"] === "None" && !spec["selector"] ? BOTH_FAMILIES : ONE_FAMILY);
}

function needsAddress(spec: Readonly<Record<string, unknown>>): boolean {
  return spec["clusterIP"] === undefined || spec["clusterIP"] === "";
}

// kubeadm's range of services, 10.96.0.0/12.
const FIRST = [10, 96] as const;

/** An address of the range by the random digits of the uid: two services rarely have the same, and nothing is lost then. */
function addressFor({ metadata: { uid = "" } }: Draft): string {
  const [high = 0, middle = 0, low = 0] = Buffer.from(uid.replaceAll("-", "").slice(0, 6), "hex");
  // The first addresses of the range belong to the API server and DNS.
  return [FIRST[0], FIRST[1] + (high % 16), middle, Math.max(low, 20)].join(".");
}
