import type { Context } from "../registry/context.ts";
import { startDisruption } from "./disruption.ts";
import { startEventExpiry } from "./event-expiry.ts";
import { startGarbageCollector } from "./garbage-collector.ts";
import { startNamespaceContent } from "./namespace-content.ts";
import { startServiceAccounts } from "./service-accounts.ts";

/**
 * Starts the controllers that a cluster needs beside its API: in Kubernetes most of these run in
 * kube-controller-manager.
 */
export function startControllers(context: Context): () => void {
  const starts = [
    startGarbageCollector,
    startNamespaceContent,
    startDisruption,
    startServiceAccounts,
    startEventExpiry,
  ];
  const stops = starts.map((start) => start(context));
  return () => {
    for (const stop of stops) stop();
  };
}
