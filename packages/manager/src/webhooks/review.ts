import {
  type CustomKind,
  customKinds,
  deepCopy,
  DEFAULT_FEATURES,
  type Features,
  isJsonObject,
  jsonPatchBetween,
  type KubernetesObject,
  validateObject,
  withDefaults,
} from "@capstan/api";
import { createRng, nameSuffix } from "@capstan/env";
import {
  type AdmissionReview,
  answered,
  readReview,
  type ReviewRequest,
  type ReviewResponse,
} from "./admission-review.ts";
import { badQuestion, invalidObject } from "./refusal.ts";

/** The purpose of a review: to fill in defaults, or to validate an object. */
export type ReviewVerb = "mutate" | "validate";

/** The kinds with our defaults and validation. Those of Azure Service Operator belong to that operator. */
export const reviewedKinds: readonly CustomKind[] = customKinds.filter(
  ({ group }) => !group.endsWith(".azure.com"),
);

const byName = new Map(reviewedKinds.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]));

/** What a review knows besides the request. */
export interface ReviewRules {
  /** Which features are on; the defaults unless given. */
  readonly features?: Features;
  /** The user of the manager; without it no write counts as one of the manager. */
  readonly managerUser?: string | undefined;
}

/** Answers a review. It has no side effects, so a dry run is answered like any other. */
export function review(verb: ReviewVerb, question: unknown, rules: ReviewRules = {}): AdmissionReview {
  const request = readReview(question);
  return answered({ uid: request.uid, ...responseTo(verb, request, rules) });
}

type Response = Omit<ReviewResponse, "uid">;

const ALLOWED: Response = { allowed: true };
const ANSWERS = { mutate: mutation, validate: validation } as const;

function responseTo(verb: ReviewVerb, request: ReviewRequest, rules: ReviewRules): Response {
  const { group, version, kind: name } = request.kind;
  const kind = byName.get(`${group}/${version} ${name}`);
  if (!kind) {
    const message = `${name} of ${group}/${version} is not a kind that this version of capstan reviews`;
    return { allowed: false, status: badQuestion(message) };
  }
  // No kind validates deletions, and only controllers write to subresources.
  const isWrite = request.operation === "CREATE" || request.operation === "UPDATE";
  if (!isWrite || (request.subResource ?? "") !== "") return ALLOWED;
  return isJsonObject(request.object) && isJsonObject(request.object["metadata"])
    ? ANSWERS[verb](kind, request, rules)
    : { allowed: false, status: badQuestion("request.object: expected an object with metadata") };
}

function mutation(kind: CustomKind, request: ReviewRequest): Response {
  const object = objectOf(request.object);
  const draft = withDefaults(kind, named(object, request.uid), oldOf(request));
  const patch = jsonPatchBetween(object, draft);
  if (patch.length === 0) return ALLOWED;
  return {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
  };
}

function validation(
  kind: CustomKind,
  request: ReviewRequest,
  { features = DEFAULT_FEATURES, managerUser }: ReviewRules,
): Response {
  const object = objectOf(request.object);
  const old = oldOf(request);
  const { errors, warnings } = validateObject(kind, {
    object,
    features,
    ...(old && { old }),
    isByManager: managerUser !== undefined && request.userInfo?.username === managerUser,
    isDryRun: request.dryRun === true,
    ...fieldManagerOf(request),
  });
  if (errors.length > 0) return { allowed: false, status: invalidObject(kind, nameOf(object), errors) };
  return warnings.length > 0 ? { allowed: true, warnings } : ALLOWED;
}

function fieldManagerOf({ options }: ReviewRequest): { readonly fieldManager?: string } {
  const name = isJsonObject(options) ? options["fieldManager"] : undefined;
  return typeof name === "string" ? { fieldManager: name } : {};
}

function nameOf({ metadata }: KubernetesObject): string {
  const { name } = metadata as { name?: unknown };
  return typeof name === "string" ? name : "";
}

/** The validation checks the shape of an object itself, so any JSON object is accepted here. */
function objectOf(value: unknown): KubernetesObject {
  return value as KubernetesObject;
}

function oldOf({ oldObject }: ReviewRequest): KubernetesObject | undefined {
  return isJsonObject(oldObject) ? objectOf(oldObject) : undefined;
}

// kube-apiserver's limit: with its five random characters, a generated name stays a DNS label.
const LONGEST_GENERATED_PREFIX = 58;

/**
 * The object with a name. kube-apiserver generates names only after admission, but the defaults of a cluster contain its
 * name; so the name is generated here from the uid of the request, which is unique.
 */
function named(object: KubernetesObject, uid: string): KubernetesObject {
  const { name, generateName } = object.metadata as { name?: unknown; generateName?: unknown };
  if (name || typeof generateName !== "string") return object;
  const draft = deepCopy<KubernetesObject>(object);
  draft.metadata.name = generateName.slice(0, LONGEST_GENERATED_PREFIX) + nameSuffix(createRng(uid, "names"));
  return draft;
}
