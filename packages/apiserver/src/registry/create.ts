import { deepFreeze, formatTimestamp } from "@capstan/api";
import { nameSuffix } from "@capstan/env";
import { definitionKey } from "../crd/definition.ts";
import { alreadyExists, badRequest, failed, forbidden, notFound } from "../http/status.ts";
import { type Draft, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import { validate } from "./admission.ts";
import { type Context, refuse, type Target, warned, type WriteOptions, type Written } from "./context.ts";
import { decodeObject, unknownFieldWarnings } from "./decode.ts";
import { trackWrite } from "./field-managers.ts";
import { metadataErrors, metadataWarnings } from "./metadata.ts";
import { defaultBySchema, schemaFindings } from "./object-schema.ts";
import { keyOf, type Resource } from "./registry.ts";
import { checkSize } from "./size.ts";
import { mutateStored, storedReview, toStoredVersion } from "./stored-version.ts";

// The longest prefix of a generated name: with its five random characters it is still a DNS label.
const LONGEST_GENERATED_PREFIX = 58;

// Two of 10,000 generated names collide with a probability of about 1 in 1,400: kube-apiserver tries eight times.
const GENERATED_NAME_ATTEMPTS = 8;

/** Creates the object in `body`, which the server must own. */
export async function create(
  context: Context,
  target: Target,
  request: {
    readonly body: unknown;
    readonly duplicates?: readonly string[];
    readonly options: WriteOptions;
    /** An applied object has its managers already. */
    readonly source?: "body" | "apply";
  },
): Promise<Written> {
  const { resource } = target;
  const { options, source = "body" } = request;
  const decoded = decodeObject(resource, request.body, source);
  const { draft } = decoded;
  const unknown = unknownFieldWarnings(
    resource,
    { ...decoded, duplicates: request.duplicates ?? [] },
    { mode: options.fieldValidation, source },
  );
  if (source === "body") trackWrite(context, target, { old: undefined, draft, options });
  return await warned(unknown, () => createDecoded(context, target, { draft, options }));
}

async function createDecoded(
  context: Context,
  target: Target,
  { draft, options }: { draft: Draft; options: WriteOptions },
): Promise<Written> {
  const { resource } = target;
  placeInNamespace(target, draft);
  if (draft.metadata.resourceVersion !== undefined)
    throw failed("resourceVersion should not be set on objects to be created");
  requireNamespace(context, resource, draft);
  requireDefinition(context, resource, draft);
  prepare(context, resource, draft);
  const generated = draft.metadata.name === "" && draft.metadata.generateName !== undefined;
  for (let attempt = 1; ; attempt++) {
    if (generated) draft.metadata.name = generateName(context, draft.metadata.generateName ?? "");
    try {
      const { object, warnings } = await store(context, target, { draft, options });
      return { object, created: true, warnings };
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (!generated || attempt === GENERATED_NAME_ATTEMPTS)
        throw alreadyExists(resource.kind, draft.metadata.name);
    }
  }
}

async function store(
  context: Context,
  target: Target,
  { draft, options }: { draft: Draft; options: WriteOptions },
): Promise<{ object: StoredObject; warnings: string[] }> {
  const { resource } = target;
  const { kind, strategy } = resource;
  const { dryRun, user } = options;
  strategy.prepare?.(draft, undefined);
  const review = {
    kind,
    operation: "CREATE" as const,
    subresource: "",
    object: draft,
    old: undefined,
    dryRun,
    user,
  };
  const lost = await mutateStored(context.admissions, resource, { review });
  defaultBySchema(resource.custom && resource.schema, draft);
  const problems = [
    ...metadataErrors(resource, draft.metadata),
    ...schemaFindings(target, draft).problems,
    ...(strategy.problems?.(draft, undefined) ?? []),
  ];
  refuse(resource, draft, { problems });
  const { draft: stored, warnings: converted } = toStoredVersion(resource, draft);
  const warnings = [
    ...new Set([...lost, ...converted]),
    ...(await validate(context.admissions, storedReview(resource, review, { object: stored }))),
    ...metadataWarnings(draft.metadata),
    ...(strategy.warnings?.(draft, undefined) ?? []),
  ];
  checkSize(stored, options);
  const key = keyOf(resource, draft.metadata.namespace ?? "", draft.metadata.name);
  if (dryRun) {
    if (context.storage.get(key)) throw new StaleWriteError(key);
    return { object: deepFreeze(stored), warnings };
  }
  return { object: await context.storage.create(key, stored), warnings };
}

function placeInNamespace({ resource, namespace }: Target, draft: Draft): void {
  const { metadata } = draft;
  if (!resource.kind.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata.namespace = namespace;
}

/**
 * Refuses objects in a namespace that does not exist or is being deleted; a server without the kind has nothing to
 * check.
 */
function requireNamespace({ storage, registry }: Context, resource: Resource, draft: Draft): void {
  const { namespaces } = registry;
  const { namespace } = draft.metadata;
  if (!namespaces || namespace === undefined) return;
  const found = storage.get(keyOf(namespaces, "", namespace));
  if (!found) throw notFound(namespaces.kind, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  throw forbidden(resource.kind, draft.metadata.name, {
    why: `unable to create new content in namespace ${namespace} because it is being terminated`,
    causes: [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  });
}

/** While a CRD is being deleted with all objects of its kind, no new ones are accepted. */
function requireDefinition({ storage }: Context, { custom, kind }: Resource, draft: Draft): void {
  if (!custom || !storage.get(definitionKey(kind))?.metadata.deletionTimestamp) return;
  throw forbidden(kind, draft.metadata.name, {
    why: "create not allowed while custom resource definition is terminating",
  });
}

/** Sets the fields that only the server decides, and ignores the client's values. */
function prepare({ env }: Context, resource: Resource, draft: Draft): void {
  const { kind, strategy } = resource;
  const { metadata } = draft;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  metadata.uid = env.uuid();
  metadata.creationTimestamp = formatTimestamp(env.clock.now());
  if (strategy.generation) metadata.generation = 1;
  if (kind.subresources.includes("status") && !strategy.statusOnCreate) delete draft["status"];
}

function generateName({ env }: Context, prefix: string): string {
  return prefix.slice(0, LONGEST_GENERATED_PREFIX) + nameSuffix(env.rng("names"));
}
