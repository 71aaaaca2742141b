import { formatTimestamp, isJsonObject } from "@capstan/api";
import type { RemediationRecord } from "@capstan/plan";

/** On a KubeadmControlPlane: a machine was deleted because it is unhealthy, and its replacement does not exist yet. */
export const REMEDIATION_IN_PROGRESS_ANNOTATION = "controlplane.cluster.x-k8s.io/remediation-in-progress";
/** On a Machine: the remediation that it is the replacement for. */
export const REMEDIATION_FOR_ANNOTATION = "controlplane.cluster.x-k8s.io/remediation-for";

/** The record as Cluster API writes it. */
export function formatRecord({ machine, timestampMs, retryCount }: RemediationRecord): string {
  return JSON.stringify({ machine, timestamp: formatTimestamp(timestampMs), retryCount });
}

/** Reads a record; undefined if there is none, or one that cannot be read. */
export function parseRecord(text: string | undefined): RemediationRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { machine, timestamp, retryCount } = value;
    const timestampMs = Date.parse(String(timestamp));
    if (typeof machine !== "string" || Number.isNaN(timestampMs)) return undefined;
    return { machine, timestampMs, retryCount: typeof retryCount === "number" ? retryCount : 0 };
  } catch {
    return undefined;
  }
}
