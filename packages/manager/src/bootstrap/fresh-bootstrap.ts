/**
 * How the owner of machines gets bootstrap data with which a new machine can join.
 *
 * Join tokens expire, and a settled pool does not renew them. Before it creates or re-images machines, the pool controller
 * writes a request id to an annotation of the KubeadmConfig, and waits until the answer has the same id. The data Secret
 * is written before the answer, so a later read returns data that is at least as fresh. An answered request costs nothing
 * more; after a crash on either side, the same id leads to the same answer.
 *
 * The part of an id before the first dot names the model of the machines. For Azure, machines with other bootstrap data
 * have another model, and it allows ten at most: so all machines of one model join with the same token, which is extended,
 * also when the model comes back after others. Another model has another token.
 */
import type { Frozen, KubernetesObject } from "@capstan/api";

/** Annotation of a KubeadmConfig: the id of the newest request for fresh bootstrap data. */
export const FRESH_BOOTSTRAP_REQUEST = "capstan.dev/fresh-bootstrap";
/** Annotation of a KubeadmConfig: the id of the request that was answered last. */
export const FRESH_BOOTSTRAP_ANSWER = "capstan.dev/fresh-bootstrap-answer";
/** Annotation of a KubeadmConfig: when the bootstrap data expires; machines must join before. */
export const BOOTSTRAP_EXPIRES = "capstan.dev/bootstrap-expires";

type Annotated = Pick<Frozen<KubernetesObject>, "metadata">;

/** The id of a request without an answer. */
export function openRequest({ metadata: { annotations = {} } }: Annotated): string | undefined {
  const request = annotations[FRESH_BOOTSTRAP_REQUEST];
  return request === undefined || request === "" || request === annotations[FRESH_BOOTSTRAP_ANSWER]
    ? undefined
    : request;
}

/** The model of the machines in the open request; undefined without one. */
export function modelAsked(annotated: Annotated): string | undefined {
  return modelIn(openRequest(annotated));
}

/** The model of the machines in the last answered request. */
export function modelAnswered({ metadata }: Annotated): string | undefined {
  return modelIn(metadata.annotations?.[FRESH_BOOTSTRAP_ANSWER]);
}

function modelIn(request: string | undefined): string | undefined {
  return request?.split(".", 1)[0];
}

/** The question of an owner: is the data fresh for its request, and valid until then? */
export interface FreshnessQuestion {
  readonly request: string;
  /** A machine that is created now must have joined by then. */
  readonly untilMs: number;
}

/**
 * Whether a request was answered with data that is still valid: the owner may not have run for long. If it is no longer
 * valid, the owner sends another request with another id.
 */
export function isFreshFor({ metadata }: Annotated, { request, untilMs }: FreshnessQuestion): boolean {
  const { [FRESH_BOOTSTRAP_ANSWER]: answer, [BOOTSTRAP_EXPIRES]: expires } = metadata.annotations ?? {};
  // Users who set their own token know when it expires.
  return answer === request && (expires === undefined || Date.parse(expires) >= untilMs);
}
