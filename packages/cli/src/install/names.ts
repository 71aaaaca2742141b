import type { KubernetesObject } from "@capstan/api";
import { reviewedKinds } from "@capstan/manager";

/** An object of Kubernetes as it is written into a file or sent to a server. */
export type Manifest = KubernetesObject & Readonly<Record<string, unknown>>;

/** Where everything of the manager is. */
export const NAMESPACE = "capstan-system";
/** The manager's Deployment, ServiceAccount, roles, bindings and PodDisruptionBudget. */
export const MANAGER = "capstan-manager";
/** The manager's Lease. */
export const LEASE = "capstan";
/** Where the pods listen, by the names of the ports. */
export const PORTS = { webhooks: 9443, health: 9440 } as const;

/** By these the pods of the manager are found. */
export const SELECTOR = { "app.kubernetes.io/name": "capstan", "app.kubernetes.io/component": "manager" };
/** On every object, so that all of them are found. */
export const LABELS = { "app.kubernetes.io/name": "capstan", "app.kubernetes.io/managed-by": "capstan" };

/** The metadata of an object of the manager's namespace. */
export function inNamespace(name: string): Manifest["metadata"] {
  return { name, namespace: NAMESPACE, labels: LABELS };
}

/** The kinds that a management cluster gets from us are those we have rules for. Azure Service Operator brings its own. */
export const installedKinds = reviewedKinds;
