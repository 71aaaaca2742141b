/** The CRDs of Cluster API, as its module has them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { customKinds, type CustomKind, isJsonObject, type JsonObject } from "@capstan/api";
import { parse } from "yaml";

/** A schema of a CRD. */
export interface UpstreamSchema {
  readonly properties?: Readonly<Record<string, UpstreamSchema>>;
  readonly items?: UpstreamSchema;
  readonly additionalProperties?: UpstreamSchema | boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly [keyword: string]: unknown;
}

/** A version of a CRD. */
export interface UpstreamVersion {
  readonly name: string;
  readonly schema: { readonly openAPIV3Schema: UpstreamSchema };
  readonly subresources?: JsonObject;
  readonly additionalPrinterColumns?: readonly JsonObject[];
}

/** A CRD. */
export interface UpstreamDefinition {
  readonly spec: {
    readonly names: {
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    } & JsonObject;
    readonly scope: string;
    readonly versions: readonly UpstreamVersion[];
  };
}

/** The kinds that Cluster API and we have in two versions. */
export const SHARED_KINDS: readonly CustomKind[] = customKinds.filter(
  ({ group, converted }) => converted.length > 0 && !group.startsWith("infrastructure."),
);

/** The versions of a shared kind. */
export function versionsOf({ version, converted }: CustomKind): {
  readonly older: string;
  readonly newer: string;
} {
  const [older = version, newer = version] = [version, ...converted.map((one) => one.version)].sort();
  return { older, newer };
}

/** The CRD of a kind, in a folder of Cluster API's sources. */
export function upstreamDefinition(folder: string, { group, plural }: CustomKind): UpstreamDefinition {
  const path = join(folder, providerOf(group), "config", "crd", "bases", `${group}_${plural}.yaml`);
  return parse(readFileSync(path, "utf8")) as UpstreamDefinition;
}

function providerOf(group: string): string {
  const [first = ""] = group.split(".");
  return first === "bootstrap" || first === "controlplane" ? join(first, "kubeadm") : "core";
}

/** A value without the fields that a schema does not have. */
export function pruned(value: unknown, schema: UpstreamSchema | undefined): unknown {
  if (!schema || schema["x-kubernetes-preserve-unknown-fields"]) return value;
  if (Array.isArray(value)) return value.map((item) => pruned(item, schema.items));
  if (!isJsonObject(value)) return value;
  const { properties, additionalProperties } = schema;
  const inner = (name: string): UpstreamSchema | undefined =>
    properties?.[name] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
  const known = Object.entries(value).filter(([name]) => !properties || inner(name));
  return Object.fromEntries(known.map(([name, field]) => [name, pruned(field, inner(name))]));
}
