import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** Permissions on resources, or on other paths. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** A subject of a binding. */
export interface Subject {
  kind: "User" | "Group" | "ServiceAccount";
  apiGroup?: string;
  name: string;
  namespace?: string;
}

/** The role that a binding grants. */
export interface RoleReference {
  apiGroup: string;
  kind: "Role" | "ClusterRole";
  name: string;
}

/** Rules of one namespace, or of the cluster. */
export interface RoleObject extends KubernetesObject {
  rules?: PolicyRule[];
}

/** Grants a role to subjects. */
export interface BindingObject extends KubernetesObject {
  subjects?: Subject[];
  roleRef: RoleReference;
}

const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" };

/** Rules of one namespace. */
export const Role = builtInKind<RoleObject>({ ...RBAC, kind: "Role", plural: "roles", namespaced: true });
/** Rules that can be granted in any namespace, or everywhere. */
export const ClusterRole = builtInKind<RoleObject>({
  ...RBAC,
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
});
/** Grants a role in one namespace. */
export const RoleBinding = builtInKind<BindingObject>({
  ...RBAC,
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
});
/** Grants a role everywhere. */
export const ClusterRoleBinding = builtInKind<BindingObject>({
  ...RBAC,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
});
