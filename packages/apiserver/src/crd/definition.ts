import {
  builtInKind,
  type Frozen,
  type Kind,
  type KubernetesObject,
  type PrintedSchema,
  type PrinterColumn,
  type ScalePaths,
} from "@capstan/api";
import type { ObjectKey } from "../storage/storage.ts";

/** The names of a kind. */
export interface DefinitionNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** One version of a kind. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: PrintedSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

/** The spec of a CRD. */
export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: { readonly strategy: string };
  readonly preserveUnknownFields?: boolean;
}

/** A condition of a CRD. */
export interface DefinitionCondition {
  readonly type: "NamesAccepted" | "Established" | "Terminating";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The status of a CRD. */
export interface DefinitionStatus {
  readonly conditions: readonly DefinitionCondition[];
  readonly acceptedNames: DefinitionNames;
  readonly storedVersions: readonly string[];
}

/** A CustomResourceDefinition as it is stored. */
export interface Definition extends KubernetesObject {
  spec: DefinitionSpec;
  status: DefinitionStatus;
}

/** The kind of CRDs themselves. */
export const CustomResourceDefinition: Kind<Definition> = builtInKind<Definition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  subresources: ["status"],
});

/** Keeps a CRD until all objects of its kind are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** The table that CRDs are stored in. */
export const DEFINITIONS = `${CustomResourceDefinition.group}/${CustomResourceDefinition.plural}`;

/** Where the CRD of a kind is stored, if it has one. */
export function definitionKey({ plural, group }: Pick<Kind, "plural" | "group">): ObjectKey {
  return { resource: DEFINITIONS, namespace: "", name: `${plural}.${group}` };
}

/** Whether a condition of a CRD is True. */
export function isTrue(definition: Frozen<Definition>, type: DefinitionCondition["type"]): boolean {
  return definition.status.conditions.some(
    (condition) => condition.type === type && condition.status === "True",
  );
}

/** The conditions with one of them set; its time changes only when its status does. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  wanted: Omit<DefinitionCondition, "lastTransitionTime">,
  now: string,
): DefinitionCondition[] {
  const old = conditions.find(({ type }) => type === wanted.type);
  const lastTransitionTime = old?.status === wanted.status ? old.lastTransitionTime : now;
  const condition = { ...wanted, lastTransitionTime };
  return old ? conditions.map((one) => (one === old ? condition : one)) : [...conditions, condition];
}
