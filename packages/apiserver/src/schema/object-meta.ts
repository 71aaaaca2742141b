import {
  type FieldError,
  invalid,
  labelKeyProblems,
  labelValueProblems,
  type ObjectMeta,
  type OwnerReference,
} from "@capstan/api";
import { REPORTED_FIELDS_LIMIT } from "./reported-fields.ts";

/** Decoded metadata, and its unknown fields. */
export interface DecodedMeta {
  /** Only fields with content: Kubernetes does not print empty fields either. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Unknown names; they are dropped. */
  readonly unknown: readonly string[];
  /** Why this is not metadata at all, in Go's words. */
  readonly problem: string | undefined;
}

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === "string" ? undefined : "string");
const whole: Check = (value) => (Number.isInteger(value) || typeof value === "bigint" ? undefined : "int64");
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "[]string";
const textMap: Check = (value) => {
  if (!isRecord(value)) return "map[string]string";
  return Object.values(value).every((item) => typeof item === "string") ? undefined : "string";
};
const records: Check = (value) =>
  Array.isArray(value) && value.every(isRecord) ? undefined : "[]v1.OwnerReference";

const managers: Check = (value) => {
  if (!Array.isArray(value)) return "[]v1.ManagedFieldsEntry";
  return value.every(isRecord) ? undefined : "v1.ManagedFieldsEntry";
};

const FIELDS: ReadonlyMap<string, Check> = new Map([
  ["name", text],
  ["generateName", text],
  ["namespace", text],
  ["uid", text],
  ["resourceVersion", text],
  ["generation", whole],
  ["creationTimestamp", text],
  ["deletionTimestamp", text],
  ["deletionGracePeriodSeconds", whole],
  ["labels", textMap],
  ["annotations", textMap],
  ["ownerReferences", records],
  ["finalizers", texts],
  ["managedFields", managers],
]);

const DROPPED_FIELDS: ReadonlySet<string> = new Set(["selfLink"]);

/** Decodes the metadata of an object, or of an embedded one. */
export function decodeObjectMeta(metadata: unknown): DecodedMeta {
  if (!isRecord(metadata)) return failed(typeof metadata, "metadata", "v1.ObjectMeta");
  const meta: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [field, value] of Object.entries(metadata)) {
    const check = FIELDS.get(field);
    if (!check && !DROPPED_FIELDS.has(field)) unknown.push(field);
    if (!check || value === null || value === undefined) continue;
    const type = check(value);
    if (type !== undefined) return failed(jsonType(value), `ObjectMeta.${field}`, type);
    if (!isEmpty(value)) meta[field] = value;
  }
  return { meta, unknown: unknown.slice(0, REPORTED_FIELDS_LIMIT), problem: undefined };
}

/** Metadata of valid types, without fields that are not stored. */
export function keptMeta(metadata: Readonly<Record<string, unknown>>): DecodedMeta["meta"] {
  const { selfLink: _, ...kept } = metadata;
  return kept;
}

function failed(was: string, field: string, type: string): DecodedMeta {
  const problem = `json: cannot unmarshal ${was} into Go struct field ${field} of type ${type}`;
  return { meta: {}, unknown: [], problem };
}

/** The type that does not fit: in a map or list that of the invalid item. */
function jsonType(value: unknown): string {
  if (Array.isArray(value))
    return value.length > 0 ? jsonType(value.find((item) => typeof item !== "string") ?? "") : "array";
  if (isRecord(value)) {
    const odd = Object.values(value).find((item) => typeof item !== "string");
    return odd === undefined ? "object" : jsonType(odd);
  }
  return typeof value === "boolean" ? "bool" : typeof value;
}

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && Object.keys(value as object).length === 0);
}

/** The path of the metadata, and the rules for names. */
export interface MetaRules {
  readonly field: string;
  readonly nameProblems: (name: string) => readonly string[];
}

/** Validates a name in the metadata under `field`. */
export function nameErrors(name: string, { field, nameProblems }: MetaRules): FieldError[] {
  return nameProblems(name).map((problem) => invalid(field, name, problem));
}

/** Validates a name that only has to be valid in a path. */
export function pathSegmentProblems(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** Validates metadata except for the name, with kube-apiserver's order and messages. */
export function objectMetaErrors(metadata: ObjectMeta, field: string): FieldError[] {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  return [
    ...labelErrors(labels, `${field}.labels`),
    ...annotationErrors(annotations, `${field}.annotations`),
    ...ownerErrors(ownerReferences, `${field}.ownerReferences`),
    ...finalizers.flatMap((finalizer) =>
      labelKeyProblems(finalizer).map((problem) => invalid(`${field}.finalizers`, finalizer, problem)),
    ),
    ...managerErrors(metadata.managedFields ?? [], `${field}.managedFields`),
  ];
}

/** The longest name of a manager: the limit of kube-apiserver. */
export const LONGEST_MANAGER_BYTES = 128;

/** Validates the names of managers; everything else about them the server writes itself. */
function managerErrors(entries: readonly unknown[], field: string): FieldError[] {
  return entries.flatMap((entry, index): FieldError[] => {
    const { manager = "" } = entry as { manager?: string };
    if (manager.length <= LONGEST_MANAGER_BYTES && Buffer.byteLength(manager) <= LONGEST_MANAGER_BYTES)
      return [];
    const message = `Too long: may not be more than ${LONGEST_MANAGER_BYTES} bytes`;
    return [{ type: "FieldValueTooLong", field: `${field}[${index}].manager`, message }];
  });
}

function labelErrors(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid(field, value, problem)),
  ]);
}

// All annotations of an object together, keys and values: the limit of kube-apiserver.
const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

function annotationErrors(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const entries = Object.entries(annotations);
  // Unlike those of labels, the keys of annotations may have capitals.
  const errors = entries.flatMap(([key]) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalid(field, key, problem)),
  );
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes > ANNOTATIONS_LIMIT_BYTES) {
    const message = `Too long: may not be more than ${ANNOTATIONS_LIMIT_BYTES} bytes`;
    errors.push({ type: "FieldValueTooLong", field, message });
  }
  return errors;
}

function ownerErrors(owners: readonly OwnerReference[], field: string): FieldError[] {
  const errors = owners.flatMap((owner) =>
    (["apiVersion", "kind", "name", "uid"] as const)
      .filter((name) => !owner[name])
      .map((name) =>
        invalid(
          `${field}.${name}`,
          "",
          name === "apiVersion" ? "version must not be empty" : "must not be empty",
        ),
      ),
  );
  const controllers = owners.filter((owner) => owner.controller);
  if (controllers.length > 1) {
    const [first, second] = controllers.map(({ kind, name }) => `${kind}/${name}`);
    errors.push(
      invalid(
        field,
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`,
      ),
    );
  }
  return errors;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
