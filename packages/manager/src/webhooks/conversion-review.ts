import {
  type ConversionContext,
  type CustomKind,
  customKinds,
  isJsonObject,
  type JsonObject,
  ownVersionOf,
  versionConversion,
} from "@capstan/api";
import { ReviewError } from "./admission-review.ts";
import { ConversionProbe } from "./conversion-probe.ts";

/** The supported version of conversion reviews; our CRDs request it. */
const REVIEW_VERSION = "apiextensions.k8s.io/v1";

/** The answer of a conversion webhook. */
interface ConversionReview {
  readonly apiVersion: typeof REVIEW_VERSION;
  readonly kind: "ConversionReview";
  readonly response: {
    readonly uid: string;
    readonly convertedObjects?: readonly JsonObject[];
    readonly result: { readonly status: "Success" | "Failure"; readonly message?: string };
  };
}

/** What conversions of a server work with. */
export interface ConversionRules extends ConversionContext {
  readonly kinds: readonly CustomKind[];
}

/** The conversions of our kinds, which need no look at a server: references to other kinds get a version by default. */
export const OWN_CONVERSIONS: ConversionRules = {
  kinds: [...customKinds, ConversionProbe],
  versionOf: ownVersionOf,
};

/** Answers a conversion review: all objects in the desired version, in their order, or the reason why not. */
export function convertReviewed(
  question: unknown,
  rules: ConversionRules = OWN_CONVERSIONS,
): ConversionReview {
  const { uid, desiredAPIVersion, objects } = readRequest(question);
  const unknown = objects.find((object) => !kindOf(object, desiredAPIVersion, rules));
  if (unknown) {
    const { apiVersion, kind } = unknown;
    const message = `capstan does not convert ${String(kind)} of ${String(apiVersion)} to ${desiredAPIVersion}`;
    return answered({ uid, result: { status: "Failure", message } });
  }
  const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion, rules));
  return answered({ uid, convertedObjects, result: { status: "Success" } });
}

function converted(object: JsonObject, to: string, rules: ConversionRules): JsonObject {
  const kind = kindOf(object, to, rules);
  const from = String(object["apiVersion"]);
  return kind && from !== to ? versionConversion(kind, rules)(object, { from, to }).object : object;
}

/** The kind of an object, if both of its versions are known. */
function kindOf(
  { apiVersion, kind: name }: JsonObject,
  to: string,
  { kinds }: ConversionRules,
): CustomKind | undefined {
  return kinds.find((kind) => {
    const versions = [kind.version, ...kind.converted.map(({ version }) => version)];
    const known = versions.map((version) => `${kind.group}/${version}`);
    return kind.kind === name && known.includes(String(apiVersion)) && known.includes(to);
  });
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly JsonObject[];
}

function readRequest(value: unknown): ConversionRequest {
  if (!isJsonObject(value))
    throw new ReviewError("the body is not a ConversionReview but another JSON value");
  const { apiVersion, kind, request } = value;
  if (apiVersion !== REVIEW_VERSION || kind !== "ConversionReview")
    throw new ReviewError(
      `the body is ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}: expected a ConversionReview of ${REVIEW_VERSION}`,
    );
  if (!isJsonObject(request)) throw new ReviewError("request: expected an object");
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== "string") throw new ReviewError("request.uid: expected a string");
  if (typeof desiredAPIVersion !== "string")
    throw new ReviewError("request.desiredAPIVersion: expected a string");
  if (!Array.isArray(objects) || !objects.every(isJsonObject))
    throw new ReviewError("request.objects: expected a list of objects");
  return { uid, desiredAPIVersion, objects };
}

function answered(response: ConversionReview["response"]): ConversionReview {
  return { apiVersion: REVIEW_VERSION, kind: "ConversionReview", response };
}
