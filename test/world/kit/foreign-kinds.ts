import { builtInKind, type Kind, type KubernetesObject } from "@capstan/api";
import type { World } from "@capstan/sim";
import { CustomResourceDefinition } from "../../kube/custom-resource-definition.ts";

/** An object of a provider that is unknown to Capstan. */
export interface Foreign extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** A kind of such a provider. */
export function foreignKind(group: string, kind: string, plural: string): Kind<Foreign> {
  return builtInKind<Foreign>({
    group,
    version: "v1beta1",
    kind,
    plural,
    namespaced: true,
    subresources: ["status"],
  });
}

/** The CustomResourceDefinition of a kind; its objects may have any fields. */
export function definitionOf({ group, version, kind, plural }: Kind): CustomResourceDefinition {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  const versions = [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }];
  const spec = { group, names, scope: "Namespaced", versions };
  const { apiVersion } = CustomResourceDefinition;
  return { apiVersion, kind: CustomResourceDefinition.kind, metadata: { name: `${plural}.${group}` }, spec };
}

/** Installs the CustomResourceDefinition of a kind. */
export async function install(world: World, kind: Kind): Promise<void> {
  await world.run(world.user.create(CustomResourceDefinition, definitionOf(kind)));
}

/** An object of a foreign kind. */
export function foreign(
  { apiVersion, kind }: Kind,
  name: string,
  spec: Record<string, unknown> = {},
): Foreign {
  return { apiVersion, kind, metadata: { name, namespace: "default" }, spec };
}

/** Writes the status of a foreign object, as its controller would. */
export async function say(world: World, kind: Kind<Foreign>, name: string, status: object): Promise<void> {
  const patch = { type: "merge", subresource: "status", body: { status } } as const;
  await world.run(world.user.patch(kind, { name, namespace: "default" }, patch));
}
