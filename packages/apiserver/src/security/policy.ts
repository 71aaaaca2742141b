import {
  type BindingObject,
  ClusterRole,
  ClusterRoleBinding,
  type Frozen,
  type Kind,
  Role,
  RoleBinding,
  type RoleObject,
} from "@capstan/api";
import { tableOf } from "../registry/registry.ts";
import type { Storage } from "../storage/storage.ts";
import type { PolicySource } from "./rbac.ts";

/** The stored rules: always current, because they are read at each decision. */
export function storedPolicy(storage: Storage): PolicySource {
  const role = (kind: Kind, name: string, namespace: string): Frozen<RoleObject> | undefined =>
    storage.get({ resource: tableOf(kind), namespace, name });
  const bindings = (kind: Kind, namespace?: string): Iterable<Frozen<BindingObject>> =>
    storage.list({ resource: tableOf(kind), ...(namespace !== undefined && { namespace }) }) as Iterable<
      Frozen<BindingObject>
    >;
  return {
    clusterRole: (name) => role(ClusterRole, name, ""),
    role: (name, namespace) => role(Role, name, namespace),
    clusterRoleBindings: () => bindings(ClusterRoleBinding),
    roleBindings: (namespace) => bindings(RoleBinding, namespace),
  };
}
