import { type FieldError, formatTimestamp, invalid as invalidField } from "@capstan/api";
import { invalid, notFound } from "../http/status.ts";
import type { Context } from "../registry/context.ts";
import { keyOf } from "../registry/registry.ts";
import { AUDIENCE } from "../security/service-account-tokens.ts";
import type { Call } from "./call.ts";

interface TokenRequest {
  readonly metadata?: object;
  readonly spec?: { readonly audiences?: readonly string[]; readonly expirationSeconds?: number };
}

const HOUR_SECONDS = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;

/** Issues a token for a service account: `kubectl create token`. */
export async function requestToken(context: Context, { target, body }: Call): Promise<unknown> {
  const { resource, namespace, name } = target;
  const account = context.storage.get(keyOf(resource, namespace, name));
  if (!account) throw notFound(resource.kind, name);
  const { metadata, spec = {} } = body as TokenRequest;
  const seconds = spec.expirationSeconds ?? HOUR_SECONDS;
  const problems = durationProblems(seconds);
  if (problems.length > 0)
    throw invalid({ kind: "TokenRequest", group: "authentication.k8s.io", name: "" }, problems);
  const audiences = spec.audiences && spec.audiences.length > 0 ? spec.audiences : [AUDIENCE];
  const creationTimestamp = formatTimestamp(context.env.clock.now());
  const { token, expiresAt } = await context.tokens.issue(account, { audiences, seconds });
  const { uid, namespace: home } = account.metadata;
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { ...metadata, name, namespace: home, uid, creationTimestamp },
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: expiresAt },
  };
}

function durationProblems(seconds: number): FieldError[] {
  const field = "spec.expirationSeconds";
  if (seconds < SHORTEST_SECONDS)
    return [invalidField(field, seconds, "may not specify a duration less than 10 minutes")];
  if (seconds > LONGEST_SECONDS)
    return [invalidField(field, seconds, "may not specify a duration larger than 2^32 seconds")];
  return [];
}
