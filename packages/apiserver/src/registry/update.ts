import { deepFreeze, type ObjectMeta } from "@capstan/api";
import { ApiError, badRequest, conflict, failed, invalid, modified, notFound } from "../http/status.ts";
import { type Draft, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import { validate } from "./admission.ts";
import { type Context, refuse, type Target, warned, type WriteOptions, type Written } from "./context.ts";
import { create } from "./create.ts";
import { decodeObject, type Source, unknownFieldWarnings } from "./decode.ts";
import { trackWrite } from "./field-managers.ts";
import { metadataChangeErrors, metadataErrors, metadataWarnings } from "./metadata.ts";
import { defaultBySchema, schemaFindings } from "./object-schema.ts";
import { asServed, inStorageVersion, keyOf, type Resource } from "./registry.ts";
import { checkSize } from "./size.ts";
import {
  type Before,
  mutateStored,
  type StoredDraft,
  storedReview,
  toStoredVersion,
} from "./stored-version.ts";
import { countGeneration, keepTimes, sameFields, shareUnchanged } from "./unchanged.ts";

// As in kube-apiserver, a write without a resourceVersion yields to others and never ends in a conflict; each failed attempt
// is another client's successful write. The limit is only for a bug.
const ATTEMPTS = 10_000;

/** The input of an update. */
interface UpdateRequest {
  /** Computes the new object from the stored one; always returns a value that the server owns. */
  readonly produce: (old: StoredObject) => unknown;
  readonly source: Source;
  /** The subresource through which the write came, if the object itself is written. */
  readonly through?: "scale";
  /** The object that an apply creates if there is none. */
  readonly create?: () => unknown;
  /** The fields that occur more than once in the request. */
  readonly duplicates?: readonly string[];
  readonly options: WriteOptions;
}

/**
 * Replaces an object by the result of the request. If another client writes in between, it retries on the new state; a
 * request with a resourceVersion then ends in a conflict.
 */
export async function update(context: Context, target: Target, request: UpdateRequest): Promise<Written> {
  const { resource, namespace, name } = target;
  const key = keyOf(resource, namespace, name);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stored = context.storage.get(key);
    try {
      if (stored) return await attemptUpdate(context, target, { ...request, stored });
      return await createInstead(context, target, request);
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
  throw modified(resource.kind, name);
}

/** Some kinds, such as Lease, are created by an update of a missing object. */
async function createInstead(context: Context, target: Target, request: UpdateRequest): Promise<Written> {
  const { resource, name } = target;
  if (request.create) return await createApplied(context, target, { ...request, create: request.create });
  if (!resource.strategy.createOnUpdate || request.source !== "body") throw notFound(resource.kind, name);
  const { draft } = decodeObject(resource, request.produce(ABSENT), "body");
  checkIdentity(target, draft);
  // As it was sent, so that unknown fields are reported or refused as in any other create.
  const body = request.produce(ABSENT) as { metadata?: { resourceVersion?: string } };
  delete body.metadata?.resourceVersion;
  const { options, duplicates = [] } = request;
  return await create(context, target, { body, duplicates, options });
}

/** An apply creates a missing object; if another client has created it meanwhile, the apply is tried again on that. */
async function createApplied(
  context: Context,
  target: Target,
  { create: produce, options }: UpdateRequest & { readonly create: () => unknown },
): Promise<Written> {
  const { resource, namespace, name } = target;
  const { draft } = decodeObject(resource, produce(), "apply");
  const { uid } = draft.metadata;
  if (uid !== undefined)
    throw conflict(
      resource.kind,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  checkIdentity(target, draft);
  const body = produce() as { metadata: { resourceVersion?: string } };
  delete body.metadata.resourceVersion;
  try {
    return await create(context, target, { body, options, source: "apply" });
  } catch (error) {
    const isTaken = error instanceof ApiError && error.status.reason === "AlreadyExists";
    throw isTaken ? new StaleWriteError(keyOf(resource, namespace, name)) : error;
  }
}

const ABSENT: StoredObject = deepFreeze({ apiVersion: "", kind: "", metadata: { name: "" } });

async function attemptUpdate(
  context: Context,
  target: Target,
  request: UpdateRequest & { readonly stored: StoredObject },
): Promise<Written> {
  const { resource } = target;
  const { stored, options, source } = request;
  const decoded = decodeObject(resource, request.produce(stored), source);
  const { duplicates = [] } = request;
  const mode = options.fieldValidation;
  const unknown = unknownFieldWarnings(resource, { ...decoded, duplicates }, { mode, source });
  const { draft } = decoded;
  const old = asServed(resource, stored);
  if (source !== "apply" && request.through !== "scale") trackWrite(context, target, { old, draft, options });
  checkIdentity(target, draft);
  checkVersion(target, { old, draft, source });
  return await warned(unknown, async () => {
    const before = { old, stored: inStorageVersion(resource, stored) };
    const admitted = await admit(context, target, { ...before, draft, options });
    const object = await store(context, target, { stored, draft: admitted.draft, dryRun: options.dryRun });
    return { object, created: false, warnings: admitted.warnings };
  });
}

interface Update extends Before {
  readonly draft: Draft;
  readonly options: WriteOptions;
}

/** Turns the draft into what will be stored; returns that with warnings, or throws if it is invalid. */
async function admit(
  { admissions }: Context,
  target: Target,
  { old, stored, draft, options }: Update,
): Promise<StoredDraft> {
  const { resource, subresource } = target;
  const { kind, strategy } = resource;
  adoptMetadata(old, draft);
  const { dryRun, user } = options;
  const review = { kind, operation: "UPDATE" as const, subresource, object: draft, old, dryRun, user };
  const before = { old, stored };
  const lost = await mutateStored(admissions, resource, { review, before });
  defaultBySchema(resource.custom && resource.schema, draft);
  keepOutside(target, old, draft);
  keepTimes(old, draft);
  shareUnchanged(old, draft);
  countGeneration(resource, old, draft);
  const findings = schemaFindings(target, draft, old);
  const problems = [
    // Unchanged metadata was validated when it was stored.
    ...(draft.metadata === old.metadata ? [] : metadataErrors(resource, draft.metadata)),
    ...metadataChangeErrors(old.metadata, draft.metadata),
    ...findings.problems,
    ...(subresource === "" ? (strategy.problems?.(draft, old) ?? []) : []),
  ];
  refuse(resource, draft, { problems, warnings: findings.warnings });
  const next = toStoredVersion(resource, draft, before);
  const warnings = [
    ...findings.warnings,
    ...new Set([...lost, ...next.warnings]),
    ...(await validate(admissions, storedReview(resource, review, { object: next.draft, before }))),
    ...metadataWarnings(draft.metadata, old.metadata),
    ...(subresource === "" ? (strategy.warnings?.(draft, old) ?? []) : []),
  ];
  checkSize(next.draft, options);
  return { draft: next.draft, warnings };
}

async function store(
  context: Context,
  { resource, namespace, name }: Target,
  { stored, draft, dryRun }: { stored: StoredObject; draft: Draft; dryRun: boolean },
): Promise<StoredObject> {
  if (sameFields(stored, draft)) return stored;
  const key = keyOf(resource, namespace, name);
  if (isLastUpdate(resource, draft)) {
    // The last finalizer was removed: the object is deleted with it, and no client sees it without finalizers.
    if (!dryRun) await context.storage.remove(key, stored);
    return deepFreeze(draft);
  }
  return dryRun ? deepFreeze(draft) : await context.storage.replace(key, stored, draft);
}

function checkIdentity({ resource, namespace, name }: Target, { metadata }: Draft): void {
  if (metadata.name === "")
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  if (!resource.kind.namespaced) delete metadata.namespace;
  else if ((metadata.namespace ?? namespace) !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  else metadata.namespace = namespace;
}

/** The optimistic lock: a request with a uid or a version writes exactly that state or fails. */
function checkVersion(
  { resource, name }: Target,
  { old, draft, source }: { old: StoredObject; draft: Draft; source: Source },
): void {
  const { kind, strategy, table } = resource;
  const { uid, resourceVersion } = draft.metadata;
  if (source === "body" && uid !== undefined && uid !== old.metadata.uid) {
    const path = `/registry/${table.replace(/^\//, "")}/${kind.namespaced ? `${old.metadata.namespace}/` : ""}${name}`;
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  const isUnset = resourceVersion === undefined || resourceVersion === "0";
  if (isUnset) {
    if (strategy.unconditionalUpdate) return;
    throw invalid({ kind: kind.plural, group: kind.group, name }, [
      {
        type: "FieldValueInvalid",
        field: "metadata.resourceVersion",
        message: "Invalid value: 0: must be specified for an update",
      },
    ]);
  }
  if (!/^\d+$/.test(resourceVersion))
    throw failed(`strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
  if (resourceVersion !== old.metadata.resourceVersion) throw modified(kind, name);
}

/** Restores metadata that an update may omit, and metadata that only the server may set. */
function adoptMetadata(old: StoredObject, { metadata }: Draft): void {
  for (const field of ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const)
    if (metadata[field] === undefined) adopt(old.metadata, metadata, field);
  for (const field of ["resourceVersion", "creationTimestamp", "generation"] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else adopt(old.metadata, metadata, field);
  }
}

function adopt<F extends keyof ObjectMeta>(old: Pick<ObjectMeta, F>, metadata: ObjectMeta, field: F): void {
  if (old[field] !== undefined) metadata[field] = old[field];
}

/**
 * Restores fields that this path may not write: the status on the main path, everything else on that of a subresource.
 */
function keepOutside({ resource, subresource }: Target, old: StoredObject, draft: Draft): void {
  const { kind, strategy } = resource;
  if (subresource === "") {
    if (kind.subresources.includes("status")) restore(old, draft, "status");
    strategy.prepare?.(draft, old);
    return;
  }
  // A binding is the server's own edit of a pod, with node, labels and condition.
  if (subresource === "binding") return;
  const written = subresource === "status" ? "status" : "spec";
  const outside = new Set([...Object.keys(old), ...Object.keys(draft)]);
  outside.delete(written);
  if (strategy.metadataWithStatus && subresource === "status") outside.delete("metadata");
  const { managedFields } = draft.metadata;
  for (const field of outside) restore(old, draft, field);
  // Who owns a status is recorded in the metadata, which such a write does not change otherwise.
  if (outside.has("metadata")) draft.metadata = withManagers(draft.metadata, managedFields);
}

function withManagers(metadata: ObjectMeta, managedFields: unknown[] | undefined): ObjectMeta {
  if (metadata.managedFields === managedFields) return metadata;
  const { managedFields: _, ...rest } = metadata;
  return managedFields ? { ...rest, managedFields } : rest;
}

function restore(old: StoredObject, draft: Draft, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = old[field];
}

/** Whether nothing keeps an object that is being deleted. */
export function isLastUpdate({ strategy }: Resource, draft: Draft): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = draft.metadata;
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    finalizers.length === 0 &&
    strategy.heldBack?.(draft) !== true
  );
}
