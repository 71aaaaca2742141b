import type { Conversion } from "./conversion/conversion.ts";
import type { Frozen, KubernetesObject } from "./kubernetes/meta.ts";
import type { Features } from "./features.ts";
import { guardRules } from "./guarded-rules.ts";
import type { Rule, Static, TSchema } from "./schema/schema.ts";
import type { FieldError } from "./values/field-error.ts";

/** A kind as a client needs it: its names and, for the compiler, the type of its objects. */
export interface Kind<T extends KubernetesObject = KubernetesObject> {
  readonly group: string;
  readonly version: string;
  /** `group/version`, or the version alone for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Subresources that the server has for this kind. */
  readonly subresources: readonly string[];
  /**
   * The form of `status.conditions`; v1beta1 unless given. Kinds whose conditions have the form of v1beta2 keep those of
   * the older form in `status.deprecated.v1beta1.conditions`.
   */
  readonly conditionForm?: "v1beta1" | "v1beta2";
  /** Never set: it only carries the type. */
  readonly objectType?: T;
}

/** The type of the objects of a kind. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/** The object of a custom kind. */
export interface CustomObject<Spec, Status> extends KubernetesObject {
  spec: Spec;
  status?: Status;
}

/** One column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date" | "number";
  readonly jsonPath: string;
  readonly description?: string;
  /** 1 = only with `-o wide`. */
  readonly priority?: 0 | 1;
}

/** Reads other objects for a validation; undefined if there is none of that name. */
export interface Lookup {
  get<T extends KubernetesObject>(kind: Kind<T>, name: string, namespace?: string): Frozen<T> | undefined;
}

/** A create or update under review. */
export interface AdmissionRequest<T> {
  readonly object: Frozen<T>;
  /** The stored object, for an update. */
  readonly old?: Frozen<T>;
  /** Absent if lookups are impossible; validation then skips checks that need it. */
  readonly lookup?: Lookup;
  /** Which features are on; the defaults unless given. */
  readonly features?: Features;
  /** The manager itself writes. Its annotations mean what they say; those of other clients may be forged. */
  readonly isByManager?: boolean;
  /** The field manager that the client names; any client can name any. Absent if it is not known. */
  readonly fieldManager?: string;
  /** Nothing is stored, whatever the answer is. */
  readonly isDryRun?: boolean;
}

/** The schema of a version of a kind, and how clients see its objects. */
export interface VersionDetails {
  readonly specSchema: TSchema;
  readonly statusSchema: TSchema | undefined;
  /** CEL rules over the whole object, beside those inside the schemas. */
  readonly rules: readonly Rule[];
  readonly columns: readonly PrinterColumn[];
  readonly scale: ScalePaths | undefined;
}

/** A version that is served beside the stored one, and has another schema. */
export interface ConvertedVersion extends VersionDetails {
  readonly version: string;
  readonly conversion: Conversion;
}

/** One of our kinds: the schema, the details of the CRD, and rules that a schema cannot express. */
export interface CustomKind<T extends KubernetesObject = KubernetesObject> extends Kind<T>, VersionDetails {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  /** Other versions that are served with the same schema, without conversion. */
  readonly alsoServed: readonly string[];
  /** Other versions that are served with schemas of their own, where the server can convert. */
  readonly converted: readonly ConvertedVersion[];
  /** Labels of the CRD, such as the contract versions that Cluster API reads. */
  readonly crdLabels: Readonly<Record<string, string>>;
  /** Sets defaults that depend on more than one field, or on the stored object, in the given draft. */
  applyDefaults(draft: T, old?: Frozen<T>): void;
  /** Validates an object beyond the schema. */
  validate(request: AdmissionRequest<T>): readonly FieldError[];
  /** Warns about settings that are valid but probably a mistake. */
  warn(request: AdmissionRequest<T>): readonly string[];
}

/** The paths that `kubectl scale` uses. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The input of `defineKind`; the rest has defaults. */
export interface KindDefinition<Spec extends TSchema, Status extends TSchema> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope?: "Namespaced" | "Cluster";
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly description: string;
  readonly spec: Spec;
  readonly status?: Status;
  readonly conditionForm?: "v1beta1" | "v1beta2";
  readonly rules?: readonly Rule[];
  readonly columns?: readonly PrinterColumn[];
  readonly scale?: ScalePaths;
  readonly alsoServed?: readonly string[];
  readonly converted?: readonly ConvertedVersion[];
  readonly crdLabels?: Readonly<Record<string, string>>;
  /** Required fields that `applyDefaults` sets: as in Kubernetes, the schema is checked after that. */
  readonly defaulted?: readonly string[];
  readonly applyDefaults?: (
    draft: CustomObject<Static<Spec>, Static<Status>>,
    old?: Frozen<CustomObject<Static<Spec>, Static<Status>>>,
  ) => void;
  readonly validate?: (
    request: AdmissionRequest<CustomObject<Static<Spec>, Static<Status>>>,
  ) => readonly FieldError[];
  readonly warn?: (
    request: AdmissionRequest<CustomObject<Static<Spec>, Static<Status>>>,
  ) => readonly string[];
}

const UNLESS_DEFINED = {
  shortNames: [],
  categories: ["cluster-api"],
  rules: [],
  columns: [],
  alsoServed: [],
  converted: [],
  crdLabels: {},
  scale: undefined,
};

/** Defines one of our kinds from one source: the type, the CRD, defaulting and validation all follow from it. */
export function defineKind<Spec extends TSchema, Status extends TSchema>(
  definition: KindDefinition<Spec, Status>,
): CustomKind<CustomObject<Static<Spec>, Static<Status>>> {
  const { spec, status, scope, defaulted: _, ...rest } = definition;
  return {
    ...UNLESS_DEFINED,
    ...rest,
    ...guardRules(definition),
    apiVersion: `${rest.group}/${rest.version}`,
    singular: rest.kind.toLowerCase(),
    namespaced: scope !== "Cluster",
    subresources: [...(status ? ["status"] : []), ...(rest.scale ? ["scale"] : [])],
    specSchema: spec,
    statusSchema: status,
  };
}

/** Defines a version of a kind that is served beside the stored one and converted; the rest has defaults. */
export function defineVersion(definition: {
  readonly version: string;
  readonly spec: TSchema;
  readonly status?: TSchema;
  readonly rules?: readonly Rule[];
  readonly columns?: readonly PrinterColumn[];
  readonly scale?: ScalePaths;
  readonly conversion: Conversion;
}): ConvertedVersion {
  const { spec, status, rules = [], columns = [], scale, ...rest } = definition;
  return { ...rest, rules, columns, scale, specSchema: spec, statusSchema: status };
}

/** Names a kind that Kubernetes itself serves. */
export function builtInKind<T extends KubernetesObject>(names: {
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  subresources?: readonly string[];
}): Kind<T> {
  const { group, version, subresources = [] } = names;
  return { ...names, subresources, apiVersion: group === "" ? version : `${group}/${version}` };
}
