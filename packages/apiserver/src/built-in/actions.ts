import type { Context, Target } from "../registry/context.ts";
import { bind } from "./binding.ts";
import type { Call } from "./call.ts";
import { evict } from "./eviction.ts";
import { reviewAccess, reviewOwnAccess, reviewOwnRules, reviewSelf, reviewToken } from "./reviews.ts";
import { requestToken } from "./token-request.ts";

/** Carries out the request and returns the answer. */
export type Action = (context: Context, call: Call) => Promise<unknown>;

// A POST to these does not store an object under the sent name: it acts, or answers a question.
const ACTIONS: Readonly<Record<string, Action>> = {
  "/Pod/eviction": evict,
  "/Pod/binding": bind,
  "/ServiceAccount/token": requestToken,
  "authorization.k8s.io/SelfSubjectAccessReview": reviewOwnAccess,
  "authorization.k8s.io/SubjectAccessReview": reviewAccess,
  "authorization.k8s.io/LocalSubjectAccessReview": reviewAccess,
  "authorization.k8s.io/SelfSubjectRulesReview": reviewOwnRules,
  "authentication.k8s.io/SelfSubjectReview": reviewSelf,
  "authentication.k8s.io/TokenReview": reviewToken,
};

/** The action of a POST to this path; undefined if it creates an object. */
export function actionOf({ resource, subresource }: Target): Action | undefined {
  if (resource.custom) return undefined;
  const { group, kind } = resource.kind;
  return ACTIONS[subresource === "" ? `${group}/${kind}` : `${group}/${kind}/${subresource}`];
}
