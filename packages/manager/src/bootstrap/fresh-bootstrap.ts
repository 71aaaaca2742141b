/**
 * How the owner of machines gets bootstrap data that a new machine can join with.
 *
 * Join tokens end, and a settled pool renews nothing. Whoever is about to create or re-image machines writes a request
 * id into an annotation of the KubeadmConfig, and waits until the answer bears the same id. The data Secret was written
 * before the answer, so whoever reads it afterwards gets data that is at least as fresh. A request that was answered
 * costs nothing more; after a crash on either side the same id leads to the same answer.
 *
 * What stands before the first dot of an id names the model that the machines are of. For Azure, machines with other
 * bootstrap data are of another model, and it knows ten at most: so all machines of one model join with the same token,
 * which is given more time, also when the model comes back after others. Another model has another token.
 */
import type { Frozen, KubernetesObject } from "@capstan/api";

/** Annotation of a KubeadmConfig: the id of the newest request for fresh bootstrap data. */
export const FRESH_BOOTSTRAP_REQUEST = "capstan.dev/fresh-bootstrap";
/** Annotation of a KubeadmConfig: the id of the request that was answered last. */
export const FRESH_BOOTSTRAP_ANSWER = "capstan.dev/fresh-bootstrap-answer";
/** Annotation of a KubeadmConfig: when the bootstrap data stops being good, for machines that join by then. */
export const BOOTSTRAP_EXPIRES = "capstan.dev/bootstrap-expires";

type Annotated = Pick<Frozen<KubernetesObject>, "metadata">;

/** The id of a request that waits for its answer. */
export function openRequest({ metadata: { annotations = {} } }: Annotated): string | undefined {
  const request = annotations[FRESH_BOOTSTRAP_REQUEST];
  return request === undefined || request === "" || request === annotations[FRESH_BOOTSTRAP_ANSWER]
    ? undefined
    : request;
}

/** The model of the machines that somebody waits to make; undefined when nobody waits. */
export function modelAsked(annotated: Annotated): string | undefined {
  return modelIn(openRequest(annotated));
}

/** The model of the machines that data was last asked for. */
export function modelAnswered({ metadata }: Annotated): string | undefined {
  return modelIn(metadata.annotations?.[FRESH_BOOTSTRAP_ANSWER]);
}

function modelIn(request: string | undefined): string | undefined {
  return request?.split(".", 1)[0];
}

/** What an owner asks: is the data fresh for my request, and good until then? */
export interface FreshnessQuestion {
  readonly request: string;
  /** A machine that is created now must have joined by then. */
  readonly untilMs: number;
}

/**
 * Whether a request was answered with data that is still good: the owner may have been away for long. When it was
 * answered and is not good any more, the owner asks again with another id.
 */
export function isFreshFor({ metadata }: Annotated, { request, untilMs }: FreshnessQuestion): boolean {
  const { [FRESH_BOOTSTRAP_ANSWER]: answer, [BOOTSTRAP_EXPIRES]: expires } = metadata.annotations ?? {};
  // Users who bring their own token know themselves when it ends.
  return answer === request && (expires === undefined || Date.parse(expires) >= untilMs);
}
