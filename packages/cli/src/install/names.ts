import type { KubernetesObject } from "@capstan/api";
import type { CustomKind } from "@capstan/api";
import { type ControllerDefinition, chosenControllers, kindsOf, reviewedKinds } from "@capstan/manager";

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

/** A management cluster gets from us at most the kinds that we validate. Azure Service Operator installs its own. */
export const installedKinds = reviewedKinds;

/** What a manager runs, and the kinds that come with it. */
export interface Selection {
  /** As a user named them; undefined means all. */
  readonly names: readonly string[] | undefined;
  readonly controllers: readonly ControllerDefinition[];
  readonly kinds: readonly CustomKind[];
}

/** What names of controllers select; all unless given. */
export function selectionOf(names?: readonly string[]): Selection {
  const controllers = chosenControllers(names);
  return { names, controllers, kinds: names ? kindsOf(controllers) : installedKinds };
}

/** All controllers and kinds. */
export const EVERYTHING: Selection = selectionOf();
