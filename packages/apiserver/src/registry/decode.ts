import { type FieldError, invalid as invalidField } from "@capstan/api";
import { beginningOf } from "../http/body.ts";
import { type ApiError, badRequest, invalid, type Subject } from "../http/status.ts";
import { jsonText } from "../json.ts";
import { type DecodedMeta, decodeObjectMeta, keptMeta } from "../schema/object-meta.ts";
import { type FieldProblem, invalidValue } from "../schema/problem.ts";
import type { Draft } from "../storage/storage.ts";
import type { WriteOptions } from "./context.ts";
import { jsonWord } from "../built-in/reading/scalars.ts";
import { readTyped } from "../built-in/reading/read.ts";
import { fieldsOfKind } from "../built-in/reading/types.ts";
import { readBySchema } from "./object-schema.ts";
import type { Resource } from "./registry.ts";
import { settle, thawUnsettled } from "./settled.ts";

/** Where an object comes from: directly from a request, from a patch, or from an apply. */
export type Source = "body" | "patch" | "apply";

/** A decoded object, and its unknown fields. */
interface Decoded {
  readonly draft: Draft;
  /** Fields that the kind or its schema does not have; they are dropped. */
  readonly unknownFields: readonly string[];
}

/**
 * Decodes and checks every object: afterwards it has a name, a kind and metadata of the right types. The value is
 * reused, so it must be the server's own copy. `source` is "patch" if the value is the result of a patch, because
 * kube-apiserver has other messages then.
 */
export function decodeObject(resource: Resource, given: unknown, source: Source): Decoded {
  // Go decodes a null into an empty object.
  const value = given ?? {};
  if (!isRecord(value)) throw noObject(resource, value);
  requireTypeTexts(resource, value);
  const error = resource.custom
    ? customTypeError(resource, value, source)
    : builtInTypeError(resource, value, source);
  if (error) throw error;
  return decodeTyped(resource, value, source) ?? decodeBySchema(resource, value, source);
}

/** Decodes an object of one of Kubernetes' own kinds; undefined for all others, which have schemas. */
function decodeTyped(
  resource: Resource,
  value: Record<string, unknown>,
  source: Source,
): Decoded | undefined {
  const fields = resource.schema ? undefined : fieldsOfKind(resource.apiVersion, resource.kind.kind);
  if (!fields) return undefined;
  const parts = thawUnsettled(fields, value);
  keepReset(value["metadata"]);
  const { problem, unknownFields } = readTyped(fields, value);
  if (problem !== undefined) throw notHandled(resource, value, { problem, source });
  const draft = draftOf(resource, value, keptMeta((value["metadata"] ?? {}) as Record<string, unknown>));
  resource.strategy.defaults?.(draft);
  settle(draft, parts);
  return { draft, unknownFields };
}

/** An empty list of managers clears those of Kubernetes' own kinds; decoding would drop it as any empty list. */
function keepReset(metadata: unknown): void {
  if (!isRecord(metadata)) return;
  const { managedFields } = metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) metadata["managedFields"] = [{}];
}

function decodeBySchema(resource: Resource, value: Record<string, unknown>, source: Source): Decoded {
  const { meta, unknown, problem } = decodeObjectMeta(value["metadata"] ?? {});
  if (problem !== undefined) throw notHandled(resource, value, { problem, source });
  const draft = draftOf(resource, value, meta);
  const read = readBySchema(resource, draft, { keepsNulls: source === "apply" });
  if (read.problem) throw notHandled(resource, value, { problem: formatProblem(read.problem), source });
  return { draft, unknownFields: [...unknown.map((field) => `metadata.${field}`), ...read.unknownFields] };
}

function draftOf({ kind }: Resource, value: Record<string, unknown>, meta: DecodedMeta["meta"]): Draft {
  return { ...value, apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: "", ...meta } };
}

// A path is as long as the names that a client gives.
const LONGEST_FIELD = 256;

/** Warns about unknown and duplicate fields, or refuses them, as the request wants. */
export function unknownFieldWarnings(
  resource: Resource,
  { draft, unknownFields, duplicates }: Decoded & { readonly duplicates: readonly string[] },
  { mode, source }: { readonly mode: WriteOptions["fieldValidation"]; readonly source: Source },
): string[] {
  // Kubernetes skips unknown fields of its own kinds with their contents.
  const isReported = (field: string): boolean =>
    resource.custom !== undefined ||
    !unknownFields.some((unknown) => field.startsWith(`${unknown}.`) || field.startsWith(`${unknown}[`));
  const shown = (field: string): string =>
    field.length > LONGEST_FIELD ? `${field.slice(0, LONGEST_FIELD)}…` : field;
  if (mode === "Ignore" || unknownFields.length + duplicates.length === 0) return [];
  const texts = [
    ...duplicates.filter(isReported).map((field) => `duplicate field "${shown(field)}"`),
    ...unknownFields.map((field) => `unknown field "${shown(field)}"`),
  ];
  if (mode === "Warn") return texts;
  throw notHandled(resource, draft, { problem: `strict decoding error: ${texts.join(", ")}`, source });
}

interface Mismatch {
  readonly problem: string;
  readonly source: Source;
  /** The type that the object claims, if it differs. */
  readonly claimed?: { readonly kind: string; readonly version: string };
}

/**
 * Refuses a value that is not an object of its kind. The result of a patch is shown, because the client has not seen
 * it.
 */
function notHandled(resource: Resource, value: object, { problem, source, claimed }: Mismatch): ApiError {
  if (source !== "body")
    return invalid({ kind: "", group: "", name: "" }, [invalidValue("patch", jsonText(value), problem)]);
  const { kind } = resource.kind;
  const given = claimed ?? { kind, version: resource.apiVersion.split("/").at(-1) };
  return badRequest(`${given.kind} in version "${given.version}" cannot be handled as a ${kind}: ${problem}`);
}

function formatProblem({ field, message }: FieldProblem): string {
  return `${field}: ${message}`;
}

// Enough to recognize the request.
const LONGEST_SHOWN = 1000;

// The type into which Go decodes the version and the kind of an object, as Go prints it.
const VERSION_AND_KIND = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

function noObject(resource: Resource, value: unknown): ApiError {
  const problem = noKind(value, `value of type ${VERSION_AND_KIND}`);
  return unrecognized(resource, `${problem} (${beginningOf(jsonText(value))})`);
}

/** The version and the kind are decoded first; a null counts as missing. */
function requireTypeTexts(resource: Resource, value: Record<string, unknown>): void {
  for (const field of ["apiVersion", "kind"]) {
    if (value[field] === null) delete value[field];
    if (value[field] !== undefined && typeof value[field] !== "string")
      throw unrecognized(
        resource,
        `${noKind(value[field], `struct field .${field} of type string`)} (${beginningOf(jsonText(value))})`,
      );
  }
}

function noKind(value: unknown, wanted: string): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonWord(value)} into Go ${wanted}`;
}

function customTypeError(
  resource: Resource,
  value: Record<string, unknown>,
  source: Source,
): ApiError | undefined {
  const { apiVersion = "", kind = "" } = value;
  if (kind === "") {
    const shown = jsonText(value).slice(0, LONGEST_SHOWN);
    return unrecognized(resource, `Object 'Kind' is missing in '${shown}' (${shown})`);
  }
  if (apiVersion !== resource.apiVersion && source === "body") return wrongVersion(resource, apiVersion);
  const errors: FieldError[] = [];
  if (kind !== resource.kind.kind) errors.push(invalidField("kind", kind, `must be ${resource.kind.kind}`));
  if (apiVersion !== resource.apiVersion)
    errors.push(invalidField("apiVersion", apiVersion, `must be ${resource.apiVersion}`));
  return errors.length === 0 ? undefined : invalid(claimedSubject(value), errors);
}

/** The type that the value claims; a refusal names that, and not the one of the path. */
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

/** Kubernetes' own kinds may omit what the path implies. */
function builtInTypeError(
  resource: Resource,
  value: Record<string, unknown>,
  source: Source,
): ApiError | undefined {
  const { apiVersion = resource.apiVersion, kind = resource.kind.kind } = value as Record<string, string>;
  if (kind === resource.kind.kind && apiVersion === resource.apiVersion) return undefined;
  const [first = "", second, ...more] = apiVersion.split("/");
  if (more.length > 0)
    return unrecognized(
      resource,
      `unexpected GroupVersion string: ${apiVersion} (${beginningOf(jsonText(value))})`,
    );
  const problem = wrongKind(resource, apiVersion, kind);
  return notHandled(resource, value, { problem, source, claimed: { kind, version: second ?? first } });
}

// kube-apiserver names the line of its source where its scheme is created.
const SCHEME = '"pkg/runtime/scheme.go:111"';

function wrongKind({ kind: wanted }: Resource, apiVersion: string, kind: string): string {
  if (!fieldsOfKind(apiVersion, kind))
    return `no kind "${kind}" is registered for version "${apiVersion}" in scheme ${SCHEME}`;
  const inside = wanted.group === "" ? "core" : wanted.group.split(".")[0];
  return `converting (${apiVersion.split("/").at(-1)}.${kind}) to (${inside}.${wanted.kind}): unknown conversion`;
}

function unrecognized(resource: Resource, why: string): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${resource.kind.kind}): ${why}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
