/** The CustomResourceDefinition of a kind, generated from the input of `defineKind`. */
import { builtInKind, type CustomKind } from "./kind.ts";
import type { KubernetesObject } from "./kubernetes/meta.ts";
import type { TSchema } from "./schema/schema.ts";

/** A JSON Schema as a CRD has it. */
export type PrintedSchema = Readonly<Record<string, unknown>>;

/** One version of a CRD. */
export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: PrintedSchema };
  subresources?: Record<string, unknown>;
  additionalPrinterColumns?: Record<string, unknown>[];
}

/** An apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubernetesObject {
  spec: {
    group: string;
    names: {
      kind: string;
      listKind: string;
      plural: string;
      singular: string;
      shortNames?: string[];
      categories?: string[];
    };
    scope: "Namespaced" | "Cluster";
    versions: CrdVersion[];
  };
}

/** The kind of CustomResourceDefinitions. */
export const CustomResourceDefinition = builtInKind<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
});

/** Distinguishes our definitions from those of other providers, which have the same names. */
const OURS = { "app.kubernetes.io/managed-by": "capstan" };

/** The CRD of a kind. */
export function toCustomResourceDefinition(kind: CustomKind): CustomResourceDefinition {
  const { group, version, plural, singular, shortNames, categories, namespaced } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: { ...kind.crdLabels, ...OURS } },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories.length > 0 && { categories: [...categories] }),
      },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [version, ...kind.alsoServed].map((name) => versionOf(kind, name)),
    },
  };
}

/** The schema of a whole object of a kind, as plain JSON. */
export function openApiSchema(kind: CustomKind): PrintedSchema {
  const spec = printed(kind.specSchema);
  // A spec without required fields defaults to an empty object, so that readers need not check for it.
  const mayBeEmpty = !Array.isArray(spec["required"]) || spec["required"].length === 0;
  return {
    type: "object",
    description: kind.description,
    properties: {
      apiVersion: { type: "string", description: "The group and version of the kind." },
      kind: { type: "string", description: "The name of the kind." },
      metadata: { type: "object" },
      spec: mayBeEmpty ? { ...spec, default: {} } : spec,
      ...(kind.statusSchema && { status: printed(kind.statusSchema) }),
    },
    ...(!mayBeEmpty && { required: ["spec"] }),
    ...(kind.rules.length > 0 && { "x-kubernetes-validations": kind.rules }),
  };
}

/** Typebox hides its own data when printed; the rest is the plain schema. */
function printed(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}

function versionOf(kind: CustomKind, name: string): CrdVersion {
  const subresources = {
    ...(kind.statusSchema && { status: {} }),
    ...(kind.scale && { scale: { ...kind.scale } }),
  };
  return {
    name,
    served: true,
    storage: name === kind.version,
    schema: { openAPIV3Schema: openApiSchema(kind) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(kind.columns.length > 0 && {
      additionalPrinterColumns: kind.columns.map((column) => ({ ...column })),
    }),
  };
}
