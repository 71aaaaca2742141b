/** The CustomResourceDefinition of a kind, generated from the input of `defineKind`. */
import { CONTRACT_LABEL } from "./cluster/group.ts";
import { builtInKind, type ConvertedVersion, type CustomKind, type VersionDetails } from "./kind.ts";
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

/** Which server converts objects between the versions of a CRD. */
export interface CrdConversion {
  strategy: "Webhook" | "None";
  webhook?: {
    conversionReviewVersions: string[];
    clientConfig: {
      url?: string;
      service?: { namespace: string; name: string; path?: string; port?: number };
      /** The authorities of the server's certificate, PEM in base64. */
      caBundle?: string;
    };
  };
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
    /** Absent if no version needs a conversion. */
    conversion?: CrdConversion;
  };
  /** Written by the server; only a migration changes the stored versions. */
  status?: {
    /** The versions that objects may be stored in. */
    storedVersions?: string[];
    conditions?: { type: string; status: string; message?: string }[];
  };
}

/** The kind of CustomResourceDefinitions. */
export const CustomResourceDefinition = builtInKind<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  subresources: ["status"],
});

/** Distinguishes our definitions from those of other providers, which have the same names. */
const OURS = { "app.kubernetes.io/managed-by": "capstan" };

// The embedded API server converts in its own process, as this webhook of the manager would. The port is kube-apiserver's
// default: without it, a stored definition would never equal ours.
const CONVERSION: CrdConversion = {
  strategy: "Webhook",
  webhook: {
    conversionReviewVersions: ["v1"],
    clientConfig: {
      service: { namespace: "capstan-system", name: "capstan-webhooks", path: "/convert", port: 443 },
    },
  },
};

/** The CRD of a kind, with the versions that need no conversion. */
export function toCustomResourceDefinition(kind: CustomKind): CustomResourceDefinition {
  return definitionOf(kind, []);
}

/** The CRD of a kind with all of its versions, for a server that can convert between them. */
export function toConvertedDefinition(kind: CustomKind): CustomResourceDefinition {
  return definitionOf(kind, kind.converted);
}

function definitionOf(kind: CustomKind, converted: readonly ConvertedVersion[]): CustomResourceDefinition {
  const { group, version, plural, singular, shortNames, categories, namespaced } = kind;
  const versions = [
    ...[version, ...kind.alsoServed].map((name) => versionOf(kind, name)),
    ...converted.map((other) => versionOf(kind, other.version, other)),
  ];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: { ...labelsOf(kind, versions), ...OURS } },
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
      versions,
      ...(converted.length > 0 && { conversion: structuredClone(CONVERSION) }),
    },
  };
}

/** The labels of a CRD. Cluster API reads objects in the versions that the labels name, so these must be served. */
function labelsOf({ crdLabels }: CustomKind, versions: readonly CrdVersion[]): Record<string, string> {
  const isServed = (version: string): boolean => versions.some(({ name }) => name === version);
  return Object.fromEntries(
    Object.entries(crdLabels).filter(([label, value]) => !CONTRACT_LABEL.test(label) || isServed(value)),
  );
}

/** The schema of a whole object of a kind in its stored version, or in the given one, as plain JSON. */
export function openApiSchema(kind: CustomKind, version: VersionDetails = kind): PrintedSchema {
  const { specSchema, statusSchema, rules } = version;
  const spec = printed(specSchema);
  // A spec without required fields defaults to an empty object, so that readers need not check for it.
  const hasRequired = Array.isArray(spec["required"]) && spec["required"].length > 0;
  const mayBeEmpty = !hasRequired && spec["minProperties"] === undefined;
  return {
    type: "object",
    description: kind.description,
    properties: {
      apiVersion: { type: "string", description: "The group and version of the kind." },
      kind: { type: "string", description: "The name of the kind." },
      metadata: { type: "object" },
      spec: mayBeEmpty ? { ...spec, default: {} } : spec,
      ...(statusSchema && { status: printed(statusSchema) }),
    },
    ...(!mayBeEmpty && { required: ["spec"] }),
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
}

/** Typebox hides its own data when printed; the rest is the plain schema. */
function printed(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}

function versionOf(kind: CustomKind, name: string, version: VersionDetails = kind): CrdVersion {
  const { statusSchema, scale, columns } = version;
  const subresources = {
    ...(statusSchema && { status: {} }),
    ...(scale && { scale: { ...scale } }),
  };
  return {
    name,
    served: true,
    storage: name === kind.version,
    schema: { openAPIV3Schema: openApiSchema(kind, version) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns.length > 0 && {
      additionalPrinterColumns: columns.map((column) => ({ ...column })),
    }),
  };
}
