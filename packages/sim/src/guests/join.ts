import type { Frozen, Node, Secret } from "@capstan/api";
import { isReady } from "../readiness.ts";
import type { GuestFailure } from "./failure.ts";
import type { JoinRequest } from "./join-request.ts";

/** Everything that the decision about a join depends on. */
export interface JoinFacts {
  readonly request: JoinRequest;
  readonly nodeName: string;
  /** Whether kubeadm is on the disk. */
  readonly hasKubeadm: boolean;
  /** Files of an earlier join on the disk. */
  readonly leftovers: readonly string[];
  /** The hash of the cluster's CA public key; undefined when the cluster does not say. */
  readonly caCertHash: string | undefined;
  /** The Secret of the token, if it exists. */
  readonly secret: Frozen<Secret> | undefined;
  /** The Node with that name, if it exists. */
  readonly node: Frozen<Node> | undefined;
  readonly nowMs: number;
}

/** The decision. A refused join is retried when the Node with that name changes, one in progress after a while. */
export type JoinVerdict =
  | { readonly verdict: "joined" }
  | { readonly verdict: "inProgress"; readonly forMs: number }
  | { readonly verdict: "refused"; readonly failure: GuestFailure }
  | { readonly verdict: "failed"; readonly failure: GuestFailure };

const TOKEN_TYPE = "bootstrap.kubernetes.io/token";

/** The name of the Secret in kube-system that holds a bootstrap token. */
export function tokenSecretName(request: JoinRequest): string {
  return `bootstrap-token-${request.token.id}`;
}

/** Decides as kubeadm join and the API server do, in the same order. */
export function decideJoin(facts: JoinFacts): JoinVerdict {
  const failure = preflightProblem(facts) ?? tokenProblem(facts) ?? authorityProblem(facts);
  if (failure) return { verdict: "failed", failure };
  if (!isReady(facts.node)) return { verdict: "joined" };
  const message = `error execution phase kubelet-start: a Node with name "${facts.nodeName}" and status "Ready" is in the cluster already; it must go, or this machine needs another name`;
  return { verdict: "refused", failure: { reason: "NodeExists", message } };
}

function preflightProblem({ hasKubeadm, leftovers }: JoinFacts): GuestFailure | undefined {
  if (!hasKubeadm) return { reason: "NoKubeadm", message: "kubeadm: command not found, or not a program" };
  if (leftovers.length === 0) return undefined;
  const errors = leftovers.map(
    (path) => `[ERROR FileAvailable-${path.replaceAll("/", "-")}]: ${path} already exists`,
  );
  return { reason: "Preflight", message: `error execution phase preflight: ${errors.join("; ")}` };
}

const UNTRUSTED = "error execution phase preflight: couldn't validate the identity of the API Server:";

/** What kubeadm reports while the API server does not answer. */
export function unreachable({ endpoint }: JoinRequest, why: string): GuestFailure {
  return {
    reason: "ApiServerUnreachable",
    message: `${UNTRUSTED} https://${endpoint} does not answer, asking again every 5 s: ${why}`,
  };
}

/** Hashes are optional; given ones are checked. */
function authorityProblem({ request, caCertHash }: JoinFacts): GuestFailure | undefined {
  const { caCertHashes, endpoint } = request;
  if (caCertHash === undefined || caCertHashes.length === 0) return undefined;
  if (caCertHashes.some((hash) => hash.toLowerCase() === caCertHash)) return undefined;
  return {
    reason: "AuthorityNotPinned",
    message: `${UNTRUSTED} the authority of ${endpoint} has the public key ${caCertHash}, and caCertHashes has ${caCertHashes.join(", ")}`,
  };
}

function tokenProblem({ request, secret, nowMs }: JoinFacts): GuestFailure | undefined {
  const { id } = request.token;
  const place = `Secret kube-system/${tokenSecretName(request)}`;
  const fail = (reason: string, why: string): GuestFailure => ({
    reason,
    message: `${UNTRUSTED} token ID "${id}" is not valid: ${place} ${why}`,
  });
  if (!secret) return fail("TokenNotFound", "does not exist");
  if (secret.type !== TOKEN_TYPE) {
    return fail("TokenInvalid", `has the type "${secret.type ?? ""}" and not "${TOKEN_TYPE}"`);
  }
  const field = (name: string): string => Buffer.from(secret.data?.[name] ?? "", "base64").toString("utf8");
  if (field("token-id") !== id) return fail("TokenInvalid", `has the token-id "${field("token-id")}"`);
  if (field("token-secret") !== request.token.secret) return fail("TokenInvalid", "has another token-secret");
  if (field("usage-bootstrap-authentication") !== "true") {
    return fail("TokenNotForAuthentication", 'does not say usage-bootstrap-authentication "true"');
  }
  return expiryProblem(field("expiration"), nowMs, fail);
}

function expiryProblem(
  expiration: string,
  nowMs: number,
  fail: (reason: string, why: string) => GuestFailure,
): GuestFailure | undefined {
  if (expiration === "") return undefined;
  const atMs = Date.parse(expiration);
  // An invalid expiration counts as expired, as in the token authenticator.
  if (Number.isNaN(atMs))
    return fail("TokenExpired", `has the expiration "${expiration}", which is not a time`);
  return atMs <= nowMs ? fail("TokenExpired", `expired at ${expiration}`) : undefined;
}
