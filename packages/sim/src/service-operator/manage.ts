/** The phases of the embedded Azure Service Operator. */
import { ensureOwnerReference, isJsonObject, type JsonObject, ownerReferenceTo } from "@capstan/api";
import { block, next, type Outcome, terminal, transient, shortHash } from "@capstan/runtime";
import { AzureError, isGone, REQUEST_BUDGET_USED_UP } from "@capstan/azure";
import { armIdOf, ownerOf, referenceResolver, writtenVersion } from "./arm-id.ts";
import { paceOf, readyForError, type RetryPace } from "./conditions.ts";
import { apiVersionOf, armBody, firstDrift, UnresolvedReference } from "@capstan/plan";
import {
  annotate,
  annotation,
  APPLIED_ANNOTATION,
  POLLER_ANNOTATION,
  RESOURCE_ID_ANNOTATION,
  type Scope,
} from "./scope.ts";

const SECOND_MS = 1000;
const POLL_MS = 10 * SECOND_MS;
const OWNER_MS = 10 * SECOND_MS;
const BUSY_MS = 20 * SECOND_MS;
const SLOW_MS = 3 * 60 * SECOND_MS;
// The period of Azure Service Operator.
const SYNC_MS = 60 * 60 * SECOND_MS;
// More objects than a manager has; cleared, each costs one read.
const MOST_VERSIONS = 10_000;
const ENDED = ["succeeded", "failed", "canceled"];

/** Records the ARM id before anything is written to Azure, so that a deletion after a crash finds the resource. */
export function claimId(scope: Scope): Outcome {
  const { context, object, subscriptionID } = scope;
  const id = armIdOf(object, { cache: context.cache, subscriptionID });
  if (typeof id !== "string") {
    scope.ready = {
      status: "False",
      severity: "Warning",
      reason: "WaitingForOwner",
      message: `${id.owner} does not exist yet`,
    };
    return block(OWNER_MS, "WaitingForOwner");
  }
  referToOwner(scope);
  if (annotation(scope, RESOURCE_ID_ANNOTATION) === id) return next;
  annotate(scope, RESOURCE_ID_ANNOTATION, id);
  scope.ready = {
    status: "False",
    severity: "Info",
    reason: "Reconciling",
    message: "The ARM id is recorded",
  };
  return block(0, "Claimed");
}

/** Lets the garbage collector delete an object with its owner: with a resource group goes everything in it. */
function referToOwner({ context, object, type }: Scope): void {
  const owner = ownerOf(object, type, context.cache);
  if (owner)
    object.metadata.ownerReferences = [
      ...ensureOwnerReference(object.metadata.ownerReferences, ownerReferenceTo(owner)),
    ];
}

/** Polls the operation that the last PUT started. */
export async function pollOperation(scope: Scope): Promise<Outcome> {
  const url = annotation(scope, POLLER_ANNOTATION);
  if (url === undefined) return next;
  try {
    const status = await scope.arm.poll(url);
    if (status.state === "InProgress") {
      scope.ready = {
        status: "False",
        severity: "Info",
        reason: "Reconciling",
        message: "Azure works on the resource",
      };
      return block(status.retryAfterMs ?? POLL_MS, "Reconciling");
    }
    annotate(scope, POLLER_ANNOTATION, undefined);
    if (status.state === "Succeeded") return next;
    annotate(scope, APPLIED_ANNOTATION, undefined);
    return refused(scope, status.error);
  } catch (error) {
    // Azure keeps operations for a day; a read of the resource shows how this one ended.
    if (!isGone(error)) return refused(scope, error);
    annotate(scope, POLLER_ANNOTATION, undefined);
    return next;
  }
}

/** Reads the resource. */
export async function readResource(scope: Scope): Promise<Outcome> {
  try {
    scope.actual = (await scope.arm.get(idOf(scope), versionOf(scope))).body;
    return next;
  } catch (error) {
    if (!isGone(error)) return refused(scope, error);
    if (scope.policy !== "skip") return next;
    scope.ready = {
      status: "False",
      severity: "Warning",
      reason: "AzureResourceNotFound",
      message: `${idOf(scope)} does not exist, and the reconcile policy is skip`,
    };
    return block(SLOW_MS, "AzureResourceNotFound");
  }
}

/** Sends the resource to Azure if it differs; ends the pass with the operation. */
export async function putResource(scope: Scope): Promise<Outcome> {
  if (scope.policy === "skip") return next;
  try {
    return await putIfDifferent(scope, desiredBody(scope));
  } catch (error) {
    if (!(error instanceof UnresolvedReference)) return refused(scope, error);
    scope.ready = {
      status: "False",
      severity: "Warning",
      reason: "ReferenceNotFound",
      message: error.message,
    };
    return block(OWNER_MS, "ReferenceNotFound");
  }
}

function desiredBody({ object, type, context, subscriptionID }: Scope): JsonObject {
  return armBody(object, type, referenceResolver(object, { cache: context.cache, subscriptionID }));
}

async function putIfDifferent(scope: Scope, body: JsonObject): Promise<Outcome> {
  const { object, actual } = scope;
  if (isInProgress(actual))
    return blocked(scope, `${object.kind} is in provisioning state ${stateOf(actual)}`);
  const hash = shortHash(JSON.stringify(body));
  const isApplied = annotation(scope, APPLIED_ANNOTATION) === hash;
  if (actual && firstDrift(body, actual) === undefined && (isApplied || isUntouched(scope))) {
    annotate(scope, APPLIED_ANNOTATION, hash);
    return next;
  }
  const busy = await busyOwner(scope);
  if (busy !== undefined) return blocked(scope, busy);
  return await put(scope, withKeptChildren(scope, body), hash);
}

/** A resource that this operator never wrote, and that is as desired, is adopted without a write. */
function isUntouched(scope: Scope): boolean {
  return annotation(scope, APPLIED_ANNOTATION) === undefined;
}

async function put(scope: Scope, body: JsonObject, hash: string): Promise<Outcome> {
  const {
    operationUrl,
    retryAfterMs,
    body: answer,
  } = await scope.arm.put(idOf(scope), body, versionOf(scope));
  annotate(scope, APPLIED_ANNOTATION, hash);
  if (answer) scope.actual = answer;
  if (operationUrl === undefined) return next;
  annotate(scope, POLLER_ANNOTATION, operationUrl);
  scope.ready = {
    status: "False",
    severity: "Info",
    reason: "Reconciling",
    message: "Azure works on the resource",
  };
  return block(retryAfterMs ?? POLL_MS, "Reconciling");
}

/** A PUT of a network without its subnets would delete them. */
function withKeptChildren({ type, actual }: Scope, body: JsonObject): JsonObject {
  const properties = actual?.["properties"];
  const children =
    type.keptChildren !== undefined && isJsonObject(properties) ? properties[type.keptChildren] : undefined;
  if (type.keptChildren === undefined || children === undefined) return body;
  return { ...body, properties: { [type.keptChildren]: children, ...(body["properties"] as JsonObject) } };
}

/** AKS refuses a write of a pool while its cluster changes. */
async function busyOwner(scope: Scope): Promise<string | undefined> {
  const { type, arm } = scope;
  if (type.isSerialized !== true) return undefined;
  const { body } = await arm.get(idOf(scope).split("/").slice(0, -2).join("/"), versionOf(scope));
  return isInProgress(body) ? `Managed cluster is in provisioning state ${stateOf(body)}` : undefined;
}

function blocked(scope: Scope, message: string): Outcome {
  scope.ready = { status: "False", severity: "Warning", reason: "ReconciliationBlocked", message };
  return block(BUSY_MS, "ReconciliationBlocked");
}

/** Reports success. */
export function succeed(scope: Scope): Outcome {
  scope.ready = { status: "True", reason: "Succeeded" };
  return next;
}

/** Deletes the resource, unless the policy says to leave it. */
export async function deleteResource(scope: Scope): Promise<Outcome> {
  const id = annotation(scope, RESOURCE_ID_ANNOTATION);
  if (id === undefined || scope.policy !== "manage") return next;
  scope.ready = {
    status: "False",
    severity: "Info",
    reason: "Deleting",
    message: "Azure deletes the resource",
  };
  try {
    const url = annotation(scope, POLLER_ANNOTATION);
    // Without a record of an applied body, the operation is a deletion.
    const isDeleting = url !== undefined && annotation(scope, APPLIED_ANNOTATION) === undefined;
    return isDeleting ? await pollDeletion(scope, url) : await startDeletion(scope, id);
  } catch (error) {
    return isGone(error) ? next : refused(scope, error);
  }
}

async function startDeletion(scope: Scope, id: string): Promise<Outcome> {
  const { operationUrl, retryAfterMs } = await scope.arm.delete(id, versionOf(scope));
  if (operationUrl === undefined) return next;
  annotate(scope, APPLIED_ANNOTATION, undefined);
  annotate(scope, POLLER_ANNOTATION, operationUrl);
  return block(retryAfterMs ?? POLL_MS, "Deleting");
}

async function pollDeletion(scope: Scope, url: string): Promise<Outcome> {
  const status = await scope.arm.poll(url);
  if (status.state === "InProgress") return block(status.retryAfterMs ?? POLL_MS, "Deleting");
  annotate(scope, POLLER_ANNOTATION, undefined);
  return status.state === "Succeeded" ? next : refused(scope, status.error);
}

/** Reports an error of Azure, and retries at the pace that its code calls for. */
function refused(scope: Scope, error: unknown): Outcome {
  if (!(error instanceof AzureError)) throw error;
  // Nothing was sent, so Azure's last answer still holds. This reason would alternate with it, with a write at each retry.
  if (error.code === REQUEST_BUDGET_USED_UP && isRefused(scope))
    return block(error.retryAfterMs ?? SLOW_MS, error.code);
  const pace = paceOf(error.code, error.status);
  scope.ready = readyForError(error.code, error.message, pace);
  return retry(error, pace);
}

/** Whether the condition already has an answer of Azure to this state of the object. */
function isRefused({ object: { metadata, status } }: Scope): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.severity === "Warning" && ready.observedGeneration === metadata.generation;
}

function retry({ code, message, retryAfterMs, class: meaning }: AzureError, pace: RetryPace): Outcome {
  if (meaning === "Throttled") return block(retryAfterMs ?? SLOW_MS, code);
  switch (pace) {
    case "fast":
      throw transient(code, message);
    case "slow":
      return block(retryAfterMs ?? SLOW_MS, code);
    case "verySlow":
      return block(SYNC_MS, code);
    case "never":
      throw terminal(code, message);
  }
}

function idOf(scope: Scope): string {
  return annotation(scope, RESOURCE_ID_ANNOTATION) ?? "";
}

function versionOf({ apiVersion = "" }: Scope): { readonly apiVersion: string } {
  return { apiVersion };
}

/** Finds out in which version the object was written: Azure is called with the same. */
export async function findApiVersion(scope: Scope): Promise<Outcome> {
  const { object, type, apiVersions, context } = scope;
  const { uid, generation, name, namespace } = object.metadata;
  const key = `${uid}/${generation}`;
  let version = apiVersions.get(key);
  if (version === undefined) {
    const live = await context.client.find(type.kind, { name, namespace });
    version = apiVersionOf(writtenVersion(live ?? object, type));
    if (apiVersions.size >= MOST_VERSIONS) apiVersions.clear();
    apiVersions.set(key, version);
  }
  scope.apiVersion = version;
  return next;
}

function stateOf(body: JsonObject | undefined): string {
  const properties = body?.["properties"];
  const state = isJsonObject(properties) ? properties["provisioningState"] : undefined;
  return typeof state === "string" ? state : "Succeeded";
}

function isInProgress(body: JsonObject | undefined): boolean {
  return body !== undefined && !ENDED.includes(stateOf(body).toLowerCase());
}
