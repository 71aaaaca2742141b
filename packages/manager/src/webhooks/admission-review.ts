import { isJsonObject } from "@capstan/api";
import type { AdmissionDenial } from "./refusal.ts";

/** The fields of an admission request that the kinds use. */
export interface ReviewRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Absent or empty for the object itself. */
  readonly subResource?: string;
  readonly operation: string;
  readonly userInfo?: { readonly username?: string };
  readonly dryRun?: boolean;
  readonly options?: unknown;
  /** Null or absent when the object is deleted. */
  readonly object?: unknown;
  /** Null or absent when the object is created. */
  readonly oldObject?: unknown;
}

/** The response of a webhook. */
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

/** The supported version of reviews; the webhook configurations request it. */
const REVIEW_VERSION = "admission.k8s.io/v1";

/** A body that is not a review. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
}

/** The request in a JSON value; throws a ReviewError that names the missing field. */
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

/** The envelope around a response. */
export function answered(response: ReviewResponse): AdmissionReview {
  return { apiVersion: REVIEW_VERSION, kind: "AdmissionReview", response };
}
