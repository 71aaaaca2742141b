import { type FieldError, invalid as invalidField, type ObjectMeta } from "@capstan/api";
import { type ApiError, badRequest, invalid, type Subject } from "../http/status.ts";
import type { Draft } from "../storage/storage.ts";
import type { Resource } from "./registry.ts";

/** An object as it came in, and what in it was not understood. */
interface Decoded {
  readonly draft: Draft;
  /** Fields of the metadata that Kubernetes does not know; they are dropped. */
  readonly unknownFields: readonly string[];
}

/**
 * The one door for objects: from here on they have a name, a kind and metadata of the right types.
 * The value is taken over, so it must be the server's own copy. `source` is "patch" when the value
 * is the outcome of a patch, because kube-apiserver words some refusals differently then.
 */
export function decodeObject(resource: Resource, value: unknown, source: "body" | "patch"): Decoded {
  if (!isRecord(value)) {
    const shown = JSON.stringify(value) ?? "nothing";
    throw unrecognized(resource, `a JSON object is needed, not ${shown.slice(0, 30)}`);
  }
  const error = resource.custom
    ? customTypeError(resource, value, source)
    : builtInTypeError(resource, value);
  if (error) throw error;
  const { metadata = {} } = value;
  const { meta, unknownFields } = decodeMetadata(resource, metadata ?? {});
  const { apiVersion, kind } = resource.kind;
  const draft: Draft = { ...value, apiVersion, kind, metadata: meta };
  return { draft, unknownFields };
}

function customTypeError(
  resource: Resource,
  value: Record<string, unknown>,
  source: "body" | "patch",
): ApiError | undefined {
  const { apiVersion = "", kind = "" } = value;
  if (kind === "")
    return unrecognized(resource, `Object 'Kind' is missing in '${JSON.stringify(value).slice(0, 200)}'`);
  if (apiVersion !== resource.apiVersion && source === "body") return wrongVersion(resource, apiVersion);
  const errors: FieldError[] = [];
  if (kind !== resource.kind.kind) errors.push(invalidField("kind", kind, `must be ${resource.kind.kind}`));
  if (apiVersion !== resource.apiVersion)
    errors.push(invalidField("apiVersion", apiVersion, `must be ${resource.apiVersion}`));
  return errors.length === 0 ? undefined : invalid(claimedSubject(value), errors);
}

/** What the value says that it is; a refusal names that, and not what the path says. */
function claimedSubject({ apiVersion, kind, metadata }: Record<string, unknown>): Subject {
  const [group, version] = String(apiVersion).split("/", 2);
  const name = isRecord(metadata) ? metadata["name"] : undefined;
  return {
    kind: String(kind),
    group: version === undefined ? "" : (group ?? ""),
    name: typeof name === "string" ? name : "",
  };
}

function wrongVersion(resource: Resource, apiVersion: unknown): ApiError {
  return badRequest(
    `the API version in the data (${String(apiVersion)}) does not match the expected API version (${resource.apiVersion})`,
  );
}

/** The kinds of Kubernetes itself may leave out what the path says already. */
function builtInTypeError(resource: Resource, value: Record<string, unknown>): ApiError | undefined {
  const { apiVersion = resource.apiVersion, kind = resource.kind.kind } = value;
  if (kind !== resource.kind.kind) {
    return badRequest(
      `${String(kind)} in version "${String(apiVersion)}" cannot be handled as a ${resource.kind.kind}: the kind must be ${resource.kind.kind}`,
    );
  }
  return apiVersion === resource.apiVersion ? undefined : wrongVersion(resource, apiVersion);
}

function unrecognized(resource: Resource, why: string): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${resource.kind.kind}): ${why}`);
}

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === "string" ? undefined : "string");
const whole: Check = (value) => (Number.isInteger(value) ? undefined : "int64");
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "[]string";
const textMap: Check = (value) => {
  if (!isRecord(value)) return "map[string]string";
  return Object.values(value).every((item) => typeof item === "string") ? undefined : "string";
};
const records: Check = (value) =>
  Array.isArray(value) && value.every(isRecord) ? undefined : "[]v1.OwnerReference";

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
]);

// managedFields come with server-side apply; until then nothing keeps them, and no client needs them back.
const DROPPED_FIELDS: ReadonlySet<string> = new Set(["selfLink", "managedFields"]);

/** Keeps the known fields that hold something: empty ones are not printed by Kubernetes either. */
function decodeMetadata(
  resource: Resource,
  metadata: unknown,
): { meta: ObjectMeta; unknownFields: readonly string[] } {
  if (!isRecord(metadata))
    throw wrongType(resource, typeof metadata, { field: "metadata", type: "v1.ObjectMeta" });
  const meta: Record<string, unknown> = { name: "" };
  const unknownFields: string[] = [];
  for (const [field, value] of Object.entries(metadata)) {
    const check = FIELDS.get(field);
    if (!check && !DROPPED_FIELDS.has(field)) unknownFields.push(`metadata.${field}`);
    if (!check || value === null || value === undefined) continue;
    const type = check(value);
    if (type !== undefined)
      throw wrongType(resource, jsonType(value), { field: `ObjectMeta.${field}`, type });
    if (!isEmpty(value)) meta[field] = value;
  }
  return { meta: meta as unknown as ObjectMeta, unknownFields };
}

function wrongType(resource: Resource, was: string, wanted: { field: string; type: string }): ApiError {
  const { kind } = resource.kind;
  const version = resource.apiVersion.split("/").at(-1);
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal ${was} into Go struct field ${wanted.field} of type ${wanted.type}`,
  );
}

/** The type that does not fit: in a map or list that of the offending item. */
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
