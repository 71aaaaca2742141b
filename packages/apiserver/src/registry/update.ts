import { deepFreeze, type ObjectMeta } from "@capstan/api";
import { badRequest, conflict, failed, invalid, modified, notFound } from "../http/status.ts";
import { type Draft, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import { mutate, validate } from "./admission.ts";
import { type Context, refuse, type Target, warned, type WriteOptions, type Written } from "./context.ts";
import { create } from "./create.ts";
import { decodeObject, type Source, unknownFieldWarnings } from "./decode.ts";
import { metadataChangeErrors, metadataErrors, metadataWarnings } from "./metadata.ts";
import { defaultBySchema, schemaProblems, toStoredSchema } from "./object-schema.ts";
import { asServed, keyOf, type Resource } from "./registry.ts";
import { sharing } from "./sharing.ts";
import { checkSize } from "./size.ts";

// As many times as kube-apiserver tries a patch again when somebody else was faster.
const ATTEMPTS = 5;

/** What an update wants. */
interface UpdateRequest {
  /** The wanted object, made from the stored one; always a value that the server owns. */
  readonly produce: (old: StoredObject) => unknown;
  readonly source: Source;
  /** The fields that the request names more than once. */
  readonly duplicates?: readonly string[];
  readonly options: WriteOptions;
}

/**
 * Replaces an object by what the request makes of it. When somebody else writes in between, it
 * starts over on the new state; a request that names a resourceVersion then ends in a conflict.
 */
export async function update(context: Context, target: Target, request: UpdateRequest): Promise<Written> {
  const { resource, namespace, name } = target;
  const key = keyOf(resource, namespace, name);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stored = context.storage.get(key);
    if (!stored) return await createInstead(context, target, request);
    try {
      return await attemptUpdate(context, target, { ...request, stored });
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
  throw modified(resource.kind, name);
}

/** Some kinds, such as Lease, are created by an update of what is not there. */
async function createInstead(context: Context, target: Target, request: UpdateRequest): Promise<Written> {
  const { resource, name } = target;
  if (!resource.strategy.createOnUpdate || request.source !== "body") throw notFound(resource.kind, name);
  const { draft } = decodeObject(resource, request.produce(ABSENT), "body");
  checkIdentity(target, draft);
  // As it was sent, so that what is unknown in it is told or refused as in any other create.
  const body = request.produce(ABSENT) as { metadata?: { resourceVersion?: string } };
  delete body.metadata?.resourceVersion;
  const { options, duplicates = [] } = request;
  return await create(context, target, { body, duplicates, options });
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
  checkIdentity(target, draft);
  checkVersion(target, { old, draft, source });
  return await warned(unknown, async () => {
    const warnings = await admit(context, target, { old, draft, options });
    const object = await store(context, target, { stored, draft, dryRun: options.dryRun });
    return { object, created: false, warnings };
  });
}

interface Update {
  readonly old: StoredObject;
  readonly draft: Draft;
  readonly options: WriteOptions;
}

/** Makes of the draft what will be stored; answers with warnings, or throws when it cannot be. */
async function admit(
  { admissions }: Context,
  target: Target,
  { old, draft, options }: Update,
): Promise<string[]> {
  const { resource, subresource } = target;
  const { kind, strategy } = resource;
  adoptMetadata(old, draft);
  const { dryRun, user } = options;
  const review = { kind, operation: "UPDATE" as const, subresource, object: draft, old, dryRun, user };
  await mutate(admissions, review);
  defaultBySchema(resource.custom && resource.schema, draft);
  keepOutside(target, old, draft);
  shareUnchanged(old, draft);
  countGeneration(resource, old, draft);
  refuse(resource, draft, [
    // What is stored has been checked when it came.
    ...(draft.metadata === old.metadata ? [] : metadataErrors(resource, draft.metadata)),
    ...metadataChangeErrors(old.metadata, draft.metadata),
    ...schemaProblems(target, draft, old),
    ...(subresource === "" ? (strategy.problems?.(draft, old) ?? []) : []),
  ]);
  const warnings = [
    ...(await validate(admissions, review)),
    ...metadataWarnings(draft.metadata, old.metadata),
    ...(subresource === "" ? (strategy.warnings?.(draft, old) ?? []) : []),
  ];
  toStoredSchema(resource, draft);
  checkSize(draft);
  return warnings;
}

async function store(
  context: Context,
  { resource, namespace, name }: Target,
  { stored, draft, dryRun }: { stored: StoredObject; draft: Draft; dryRun: boolean },
): Promise<StoredObject> {
  if (sameFields(stored, draft)) return stored;
  const key = keyOf(resource, namespace, name);
  if (isLastUpdate(resource, draft)) {
    // The last finalizer went: the object goes with it, and nobody sees it without its finalizers.
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

/** The optimistic lock: whoever names a uid or a version writes that state or nothing. */
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
  if (resourceVersion === undefined) {
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

/** Fills in the metadata that an update may leave out, and takes back what is the server's alone. */
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

/** Takes back what this path may not write: the status on the main path, everything else on that of a subresource. */
function keepOutside({ resource, subresource }: Target, old: StoredObject, draft: Draft): void {
  const { kind, strategy } = resource;
  if (subresource === "") {
    if (kind.subresources.includes("status")) restore(old, draft, "status");
    strategy.prepare?.(draft, old);
    return;
  }
  // A binding is the server's own edit of a pod: node, labels and condition go together.
  if (subresource === "binding") return;
  const written = subresource === "status" ? "status" : "spec";
  const outside = new Set([...Object.keys(old), ...Object.keys(draft)]);
  outside.delete(written);
  if (strategy.metadataWithStatus && subresource === "status") outside.delete("metadata");
  for (const field of outside) restore(old, draft, field);
}

function restore(old: StoredObject, draft: Draft, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = old[field];
}

/** Puts the stored values back where nothing changed: later comparisons are by identity, and versions share memory. */
function shareUnchanged(old: StoredObject, draft: Draft): void {
  for (const field of Object.keys(draft)) draft[field] = sharing(draft[field], old[field]);
}

function sameFields(old: StoredObject, draft: Draft): boolean {
  const fields = Object.keys(draft);
  return fields.length === Object.keys(old).length && fields.every((field) => draft[field] === old[field]);
}

/** A change of the wanted state is one of any field but the metadata, and the status where that has its own path. */
function countGeneration({ kind, custom, strategy }: Resource, old: StoredObject, draft: Draft): void {
  if (!strategy.generation) return;
  const fields = custom ? [...new Set([...Object.keys(old), ...Object.keys(draft)])] : ["spec"];
  const counted = fields.filter(
    (field) => field !== "metadata" && !(field === "status" && kind.subresources.includes("status")),
  );
  if (counted.every((field) => draft[field] === old[field])) return;
  draft.metadata = { ...draft.metadata, generation: (old.metadata.generation ?? 0) + 1 };
}

/** Whether an object that is being deleted has nothing left that holds it back. */
export function isLastUpdate({ strategy }: Resource, draft: Draft): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = draft.metadata;
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    finalizers.length === 0 &&
    strategy.heldBack?.(draft) !== true
  );
}
