/** Keeps `metadata.managedFields` with each write: which client owns which field. */
import { deepCopy, formatTimestamp } from "@capstan/api";
import { builtInType, emptyBuiltIn, metadataType, SCHEMALESS } from "../apply/built-in-types.ts";
import { applyConflict, conflictsOutside, ConflictError } from "../apply/conflicts.ts";
import { fieldsOfLastApplied, KUBECTL, lastAppliedOf, withLastApplied } from "../apply/last-applied.ts";
import { leastBytes } from "../apply/least-bytes.ts";
import { isReset, type Managers, readManagers, type Writer, writeManagers } from "../apply/managers.ts";
import { isMap, type MergeType, mergeTypeOf } from "../apply/merge-type.ts";
import { type Applied, applyConfiguration, captureUpdate, type Ownership } from "../apply/ownership.ts";
import { resetFields } from "../apply/reset-fields.ts";
import { typeProblem } from "../apply/type-check.ts";
import { badRequest, typedPatchProblem } from "../http/status.ts";
import { goJson } from "../schema/go-text.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import type { Context, Target, WriteOptions } from "./context.ts";
import { inVersion, type Resource, stamped } from "./registry.ts";
import { checkLeastBytes } from "./size.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The owner of the fields that an object had before it was first applied. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** A write under way: `old` is absent in a create. */
interface Write {
  readonly old: StoredObject | undefined;
  readonly draft: Draft;
  readonly options: WriteOptions;
}

/**
 * Sets the managers of a draft after a create, update or patch. An object without managers stays without them, and a
 * new one gets them if this server tracks every writer.
 */
export function trackWrite(context: Context, target: Target, { old, draft, options }: Write): void {
  const live = old?.metadata.managedFields as unknown[] | undefined;
  const isNew = !old && context.fieldOwnership === "all";
  // Most writes of a server that tracks only applied objects end here.
  if (draft.metadata.managedFields === undefined && live === undefined && !isNew) return;
  const { managedFields: sent, ...rest } = draft.metadata;
  const { fieldManager } = options;
  draft.metadata = rest;
  // A write of the server itself changes no manager.
  if (fieldManager === undefined || target.subresource === "binding") return keepManagers(draft, live);
  const managers = managersFor(target, old, sent);
  if (managers.size === 0 && !isNew) return;
  setManagers(draft, captured(context, target, { old, draft, managers, fieldManager }));
}

function keepManagers(draft: Draft, live: unknown[] | undefined): void {
  if (live) draft.metadata.managedFields = live;
}

interface Capture {
  readonly old: StoredObject | undefined;
  readonly draft: Draft;
  readonly managers: Managers;
  readonly fieldManager: string;
}

function captured(
  context: Context,
  target: Target,
  { old, draft, managers, fieldManager }: Capture,
): Managers {
  const { resource } = target;
  const { apiVersion } = resource;
  return captureUpdate(ownershipOf(context, target), typeOf(resource, apiVersion) ?? SCHEMALESS, {
    // The old object is in the version of the request already.
    before: old ? withoutManagers(stamped(old, apiVersion)) : emptyObject(resource),
    after: { ...draft, apiVersion },
    managers,
    writer: writerOf(target, "Update", fieldManager),
  });
}

const NO_MANAGERS: Managers = new Map();

/** The managers that a write begins with: those that the client sent, if they can be read, else the live ones. */
function managersFor({ subresource }: Target, old: StoredObject | undefined, sent: unknown): Managers {
  if (!old) return NO_MANAGERS;
  const live = old.metadata.managedFields;
  if (subresource === "" && sent !== live) {
    if (isReset(sent)) return NO_MANAGERS;
    const wanted = readManagers(sent);
    if (wanted && wanted.size > 0) return wanted;
  }
  return readManagers(live) ?? NO_MANAGERS;
}

function setManagers(draft: { readonly metadata: { managedFields?: unknown } }, managers: Managers): void {
  const entries = writeManagers(managers);
  if (entries) draft.metadata.managedFields = entries;
}

function writerOf(target: Target, operation: Writer["operation"], name: string): Writer {
  return { name, operation, apiVersion: target.resource.apiVersion, subresource: target.subresource };
}

/** A configuration to apply. */
export interface Configuration {
  readonly config: Fields;
  readonly manager: string;
  readonly force: boolean;
}

/**
 * The object that an apply makes of the stored one, or of nothing, with its managers. Throws kube-apiserver's error for
 * a configuration that does not fit its kind, and for fields of other managers.
 */
export function appliedObject(
  context: Context,
  target: Target,
  {
    stored,
    configuration,
  }: { readonly stored: StoredObject | undefined; readonly configuration: Configuration },
): Record<string, unknown> {
  const { resource } = target;
  const { config } = configuration;
  const type = typeOf(resource, resource.apiVersion) ?? SCHEMALESS;
  checkConfiguration({ apiVersion: resource.apiVersion, kind: resource.kind.kind }, type, config);
  const ownership = ownershipOf(context, target);
  checkLeastBytes(leastBytes(type, config, ownership.reset));
  const live = stored ? withoutManagers(inVersion(resource, stored)) : {};
  const managers = stored ? managersBefore(ownership, target, { stored, live, type }) : NO_MANAGERS;
  const applied = applyTo(ownership, target, { type, live, managers, configuration });
  // The merge shares values with the stored object, which is frozen, and defaulting changes the result.
  const object = deepCopy(annotated(configuration, live, applied.object));
  const metadata = { ...(object["metadata"] as object) };
  const result = { ...object, metadata };
  setManagers(result, applied.managers);
  return result;
}

/** Refuses a Scale that is not one. */
export function checkScale(config: Fields): void {
  const type = builtInType({ group: "autoscaling", version: "v1", kind: "Scale" }) ?? SCHEMALESS;
  checkConfiguration({ apiVersion: "autoscaling/v1", kind: "Scale" }, type, config);
}

interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

function checkConfiguration({ apiVersion, kind }: KindName, type: MergeType, config: Fields): void {
  const metadata = isMap(config["metadata"]) ? config["metadata"] : {};
  const { namespace = "", name = "", managedFields = null } = metadata;
  if (managedFields !== null) throw badRequest("metadata.managedFields must be nil");
  const problem = typeProblem(type, config);
  if (problem === undefined) return;
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  const object = `${String(namespace)}/${String(name)}; ${version}, Kind=${kind}`;
  throw typedPatchProblem(`failed to create typed patch object (${object}): ${problem}`);
}

/** The managers of the stored object. If it has none, its fields belong to a manager of that name. */
function managersBefore(
  ownership: Ownership,
  target: Target,
  { stored, live, type }: { readonly stored: StoredObject; readonly live: Fields; readonly type: MergeType },
): Managers {
  const managers = readManagers(stored.metadata.managedFields) ?? NO_MANAGERS;
  if (managers.size > 0) return managers;
  const writer = writerOf(target, "Update", BEFORE_FIRST_APPLY);
  const before = emptyObject(target.resource);
  return captureUpdate(ownership, type, { before, after: live, managers, writer });
}

interface Application {
  readonly type: MergeType;
  readonly live: Fields;
  readonly managers: Managers;
  readonly configuration: Configuration;
}

function applyTo(
  ownership: Ownership,
  target: Target,
  { type, live, managers, configuration }: Application,
): Applied {
  const { config, manager, force } = configuration;
  const writer = writerOf(target, "Apply", manager);
  const apply = { live, config, managers, writer };
  try {
    return applyConfiguration(ownership, type, { ...apply, force });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    if (manager !== KUBECTL) throw applyConflict(error.conflicts);
    // The same user set these fields by client-side apply.
    const own = fieldsOfLastApplied(type, live, target.resource.apiVersion);
    const left = conflictsOutside(error.conflicts, own);
    if (left.size > 0) throw applyConflict(left);
    return applyConfiguration(ownership, type, { ...apply, force: true });
  }
}

/** kubectl keeps the annotation of client-side apply current where it exists. */
function annotated({ manager, config }: Configuration, live: Fields, object: Fields): Fields {
  if (manager !== KUBECTL || lastAppliedOf(live) === undefined || lastAppliedOf(object) === undefined)
    return object;
  return withLastApplied(object, `${goJson(config)}\n`);
}

function ownershipOf({ env }: Context, target: Target): Ownership {
  return {
    typeOf: (apiVersion) => typeOf(target.resource, apiVersion),
    convert: (object, { from, to }) =>
      from === to ? object : (target.resource.custom?.convert?.(object, { from, to }).object ?? object),
    reset: resetFields(target),
    now: formatTimestamp(env.clock.now()),
  };
}

/** How objects of a version are merged; undefined if the kind has no such version. */
function typeOf(
  { kind, custom, schema, apiVersion: served }: Resource,
  apiVersion: string,
): MergeType | undefined {
  if (custom) {
    const node = apiVersion === served ? schema : custom.schemas.get(apiVersion);
    return node && mergeTypeOf(node, metadataType());
  }
  if (apiVersion !== served) return undefined;
  return builtInType({ group: kind.group, version: kind.version, kind: kind.kind }) ?? SCHEMALESS;
}

function emptyObject({ kind, custom }: Resource): Fields {
  return custom ? {} : emptyBuiltIn({ group: kind.group, version: kind.version, kind: kind.kind });
}

function withoutManagers(object: StoredObject): Fields {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
