import type { KubernetesObject } from "@capstan/api";
import { reviewedKinds } from "@capstan/manager";

/** A Kubernetes object as it is written to a file or sent to a server. */
export type Manifest = KubernetesObject & Readonly<Record<string, unknown>>;

/** The namespace of all objects of the manager. */
export const NAMESPACE = "capstan-system";
/** The manager's Deployment, ServiceAccount, roles, bindings and PodDisruptionBudget. */
export const MANAGER = "capstan-manager";
/** The manager's Lease. */
export const LEASE = "capstan";
/** The ports that the pods listen on, by name. */
export const PORTS = { webhooks: 9443, health: 9440 } as const;

/** Selects the pods of the manager. */
export const SELECTOR = { "app.kubernetes.io/name": "capstan", "app.kubernetes.io/component": "manager" };
/** On every object, so that all of them can be found. */
export const LABELS = { "app.kubernetes.io/name": "capstan", "app.kubernetes.io/managed-by": "capstan" };

/** The metadata of an object in the manager's namespace. */
export function inNamespace(name: string): Manifest["metadata"] {
  return { name, namespace: NAMESPACE, labels: LABELS };
}

/** A management cluster gets from us the kinds that we validate. Azure Service Operator installs its own. */
export const installedKinds = reviewedKinds;
