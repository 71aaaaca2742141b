import { isJsonObject } from "@capstan/api";
import type { AdmissionDenial } from "./refusal.ts";

/** What kube-apiserver asks a webhook, as far as the rules of kinds look at it. */
export interface ReviewRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Absent or empty for the object itself. */
  readonly subResource?: string;
  readonly operation: string;
  /** Null or absent when the object is deleted. */
  readonly object?: unknown;
  /** Null or absent when the object is created. */
  readonly oldObject?: unknown;
}

/** What a webhook answers. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patchType?: "JSONPatch";
  /** A JSON patch in base64. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly status?: AdmissionDenial;
}

/** The envelope of questions and answers of `admission.k8s.io/v1`. */
export interface AdmissionReview {
  readonly apiVersion: typeof REVIEW_VERSION;
  readonly kind: "AdmissionReview";
  readonly request?: ReviewRequest;
  readonly response?: ReviewResponse;
}

/** The one version of reviews that is spoken here; webhook configurations ask for it. */
const REVIEW_VERSION = "admission.k8s.io/v1";

/** A body that is no question. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
}

/** The question in a JSON value; throws a ReviewError that names what is missing. */
export function readReview(value: unknown): ReviewRequest {
  if (!isJsonObject(value))
    throw new ReviewError("the body is not an AdmissionReview but another JSON value");
  const { apiVersion, kind, request } = value;
  if (apiVersion !== REVIEW_VERSION || kind !== "AdmissionReview")
    throw new ReviewError(
      `the body is ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}: expected an AdmissionReview of ${REVIEW_VERSION}`,
    );
  if (!isJsonObject(request)) throw new ReviewError("request: expected an object");
  for (const field of ["uid", "operation"])
    if (typeof request[field] !== "string") throw new ReviewError(`request.${field}: expected a string`);
  const named = request["kind"];
  if (!isJsonObject(named)) throw new ReviewError("request.kind: expected an object");
  for (const field of ["group", "version", "kind"])
    if (typeof named[field] !== "string") throw new ReviewError(`request.kind.${field}: expected a string`);
  return request as unknown as ReviewRequest;
}

/** The envelope around an answer. */
export function answered(response: ReviewResponse): AdmissionReview {
  return { apiVersion: REVIEW_VERSION, kind: "AdmissionReview", response };
}
