/** Server-side apply, as far as it is about the request: media type, options, body. */
import { forbidden, type Manifest, parseManifest, required, YamlError } from "@capstan/api";
import type { HttpRequest } from "@capstan/env";
import { duplicateFields, parseJson } from "../json.ts";
import { type Context, type Target, warned, type WriteOptions, type Written } from "../registry/context.ts";
import { appliedObject, checkScale, type Configuration } from "../registry/field-managers.ts";
import { inVersion } from "../registry/registry.ts";
import { scaleOf, scalePaths } from "../registry/scale/scale.ts";
import { scaledObject } from "../registry/scale/scale-managers.ts";
import { update } from "../registry/update.ts";
import { isTooDeep, NESTING_LIMIT } from "../schema/nesting.ts";
import type { StoredObject } from "../storage/storage.ts";
import { isAllowed, refusal } from "../security/rbac.ts";
import { BODY_LIMIT_BYTES, parseBody } from "./body.ts";
import { writeOptions } from "./query.ts";
import { ApiError, badRequest, detailsOf, notFound, tooLarge } from "./status.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The media type of an apply; unlike others it is case-sensitive. */
const APPLY = "application/apply-patch+yaml";

/** Whether a patch is an apply. */
export function isApply({ headers }: Pick<HttpRequest, "headers">): boolean {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim() === APPLY;
}

/** The options of a patch: an apply needs a manager, and only an apply can be forced. */
export function patchOptions(query: URLSearchParams, request: HttpRequest): Omit<WriteOptions, "user"> {
  const problems = isApply(request)
    ? query.get("fieldManager")
      ? []
      : [required("fieldManager", "is required for apply patch")]
    : query.has("force")
      ? [forbidden("force", "may not be specified for non-apply patch")]
      : [];
  return writeOptions(query, "PatchOptions", { headers: request.headers, problems });
}

interface Asked {
  readonly query: URLSearchParams;
  readonly options: WriteOptions;
  readonly request: HttpRequest;
}

/** Applies the body of a request: to the stored object, or as a new one. */
export async function applyOne(context: Context, target: Target, asked: Asked): Promise<Written> {
  const options = { ...asked.options, isApply: true };
  const { config, duplicates } = readConfiguration(asked.request);
  checkType(target, config);
  if (target.subresource === "scale") return await applyScale(context, target, { ...asked, config });
  const configuration: Configuration = {
    config,
    manager: options.fieldManager ?? "",
    force: isForced(asked.query.get("force")),
  };
  const produce = (stored: StoredObject | undefined): Record<string, unknown> => {
    const object = appliedObject(context, target, { stored, configuration });
    if (options.fieldValidation === "Strict" && duplicates.length > 0) throw strictProblem(duplicates);
    return withName(target, object, stored !== undefined);
  };
  const create = (): unknown => {
    requireCreate(context, target, options);
    return produce(undefined);
  };
  return await warned(options.fieldValidation === "Warn" ? duplicates : [], () =>
    update(context, target, {
      produce,
      source: "apply",
      options,
      ...(target.subresource === "" && { create }),
    }),
  );
}

/** Applies a Scale: the replicas of the object and their manager. */
async function applyScale(
  context: Context,
  target: Target,
  { config, options, query }: Pick<Asked, "options" | "query"> & { readonly config: Fields },
): Promise<Written> {
  const { resource } = target;
  const paths = scalePaths(resource);
  if (!paths) throw notFound(resource.kind, target.name);
  checkScale(config);
  const produce = (stored: StoredObject): unknown => {
    const old = inVersion(resource, stored);
    const { spec, ...current } = scaleOf(paths, old) as Fields;
    const scale = { ...current, spec: { ...(spec as object), ...(config["spec"] as object) } };
    const force = isForced(query.get("force"));
    return scaledObject(resource, {
      old,
      paths,
      scale,
      manager: options.fieldManager,
      operation: "Apply",
      force,
    });
  };
  return await update(context, { ...target, subresource: "" }, { produce, source: "apply", options });
}

/** Anything but a clear no means yes, as in Kubernetes. */
function isForced(force: string | null): boolean {
  return force !== null && !["false", "0"].includes(force.toLowerCase());
}

/** The name may be left out if the object exists. */
function withName(
  { name }: Target,
  object: Record<string, unknown>,
  exists: boolean,
): Record<string, unknown> {
  const metadata = (object["metadata"] ?? {}) as Fields;
  return exists && metadata["name"] === undefined ? { ...object, metadata: { ...metadata, name } } : object;
}

interface Read {
  readonly config: Fields;
  /** The keys that occur more than once. */
  readonly duplicates: readonly string[];
}

function readConfiguration({ body }: HttpRequest): Read {
  if (body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array))
    return { config: asFields(parseBody(body, badRequest)), duplicates: [] };
  const text = typeof body === "string" ? body : Buffer.from(body ?? "").toString("utf8");
  if (text.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  const { value, duplicates } = parsed(text);
  if (text.length > 2 * NESTING_LIMIT && isTooDeep(value))
    throw badRequest(`error decoding YAML: exceeded max depth of ${NESTING_LIMIT}`);
  return { config: asFields(value), duplicates };
}

function parsed(text: string): Manifest {
  const json = parsedJson(text);
  if (json) return json;
  try {
    return parseManifest(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${error.message}`);
  }
}

/** Most clients send JSON, which is YAML as well; undefined if it is not JSON, or has duplicate keys to report. */
function parsedJson(text: string): Manifest | undefined {
  try {
    const value = parseJson(text);
    return duplicateFields(text).length === 0 ? { value, duplicates: [] } : undefined;
  } catch {
    return undefined;
  }
}

function asFields(value: unknown): Fields {
  if (value === null || value === undefined) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Fields;
  const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
  );
}

function strictProblem(duplicates: readonly string[]): ApiError {
  const lines = duplicates.map((line) => `  ${line}`).join("\n");
  return badRequest(
    `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`,
  );
}

/** The version and the kind of the body must be those of the path. */
function checkType({ resource, subresource }: Target, { apiVersion, kind }: Fields): void {
  const wanted =
    subresource === "scale" ? SCALE : { apiVersion: resource.apiVersion, kind: resource.kind.kind };
  if (apiVersion === wanted.apiVersion && kind === wanted.kind) return;
  const text = typeof apiVersion === "string" ? apiVersion : "";
  const shown = text.includes("/") ? text : `/${text}`;
  throw badRequest(`invalid object type: ${shown}, Kind=${typeof kind === "string" ? kind : ""}`);
}

const SCALE = { apiVersion: "autoscaling/v1", kind: "Scale" };

/** A user who may patch objects needs a right of its own to create them. */
function requireCreate(
  { policy }: Context,
  { resource, namespace, name }: Target,
  { user }: WriteOptions,
): void {
  const { group, version, plural } = resource.kind;
  const attributes = { verb: "create", group, version, resource: plural, namespace, name };
  if (isAllowed(policy, user, attributes)) return;
  throw new ApiError({
    code: 403,
    reason: "Forbidden",
    message: refusal(user, attributes),
    details: detailsOf(resource.kind, name),
  });
}
