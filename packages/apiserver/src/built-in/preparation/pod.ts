import { compareQuantities, parseQuantity } from "@capstan/api";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, fillIn, objectIn, objectMadeIn, objectsIn, textIn } from "../fields.ts";

// How long a pod stays on a node that does not answer.
const TOLERATION_SECONDS = 300;

const PRIORITIES: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** What kube-apiserver's own admission adds to every pod, and the initial status of a pod. */
export function preparePod(draft: Draft, old: StoredObject | undefined): void {
  const spec = objectMadeIn(draft, "spec");
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) tolerate(spec, key);
  fillIn(spec, {
    priority: PRIORITIES[textIn(spec, "priorityClassName")] ?? 0,
    preemptionPolicy: "PreemptLowerPriority",
  });
  if (!old) draft["status"] = { phase: "Pending", qosClass: qualityOf(spec) };
}

function tolerate(spec: Fields, key: string): void {
  const tolerations = objectsIn(spec, "tolerations");
  const isTolerated = tolerations.some(
    (one) => (one["key"] ?? key) === key && (one["effect"] ?? "NoExecute") === "NoExecute",
  );
  if (isTolerated) return;
  spec["tolerations"] = [
    ...tolerations,
    { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: TOLERATION_SECONDS },
  ];
}

/** The QoS class of a pod: pods without requests are evicted first. */
function qualityOf(spec: Fields): string {
  const all = [...objectsIn(spec, "containers"), ...objectsIn(spec, "initContainers")].map((container) =>
    objectIn(container, "resources"),
  );
  if (
    all.every(
      (resources) => isNothing(objectIn(resources, "limits")) && isNothing(objectIn(resources, "requests")),
    )
  )
    return "BestEffort";
  return all.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

const COUNTED = ["cpu", "memory"];

function isNothing(amounts: Fields): boolean {
  return COUNTED.every((name) => amounts[name] === undefined || amounts[name] === "0");
}

function isGuaranteed(resources: Fields): boolean {
  const [limits, requests] = [objectIn(resources, "limits"), objectIn(resources, "requests")];
  return COUNTED.every((name) => {
    const [limit, request] = [textIn(limits, name), textIn(requests, name)];
    if (limit === "" || request === "") return false;
    return limit === request || compareQuantities(parseQuantity(limit), parseQuantity(request)) === 0;
  });
}
