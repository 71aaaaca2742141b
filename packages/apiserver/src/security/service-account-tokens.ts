import { createHmac, timingSafeEqual } from "node:crypto";
import { formatTimestamp } from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Storage, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import type { User } from "./attributes.ts";

/** The tokens of service accounts. */
export interface Tokens {
  /** Issues a token for a service account; it is valid only while the account exists. */
  issue(
    account: StoredObject,
    wanted: TokenRequestSpec,
  ): Promise<{ readonly token: string; readonly expiresAt: string }>;
  /** Verifies a token; undefined if it is forged, expired, for another audience, or its account is deleted. */
  verify(token: string, audiences: readonly string[]): VerifiedToken | undefined;
}

/** A valid token. */
interface VerifiedToken {
  readonly user: User;
  /** Those of the requested audiences that it is valid for. */
  readonly audiences: readonly string[];
}

/** The spec of a TokenRequest. */
interface TokenRequestSpec {
  readonly audiences: readonly string[];
  readonly seconds: number;
}

/** The default audience of tokens: this API. */
export const AUDIENCE = "https://kubernetes.default.svc.cluster.local";

// The key is stored with the objects: it survives a restart with them, and a user who can read it is an administrator
// already.
const KEY = { resource: "/secrets", namespace: "kube-system", name: "service-account-signing-key" };
const ACCOUNTS = "/serviceaccounts";

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly sub: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
}

/**
 * Tokens as JWTs, signed with a key that only this server has (HS256): no other program verifies them, so they need no
 * public key, and a deterministic signature keeps simulations repeatable.
 */
export function createTokens(env: Env, storage: Storage): Tokens {
  return {
    issue: async ({ metadata }, { audiences, seconds }) => {
      const { name, namespace = "", uid = "" } = metadata;
      const nowMs = env.clock.now();
      const iat = Math.floor(nowMs / 1000);
      const claims: Claims = {
        aud: audiences,
        exp: iat + seconds,
        iat,
        iss: AUDIENCE,
        "kubernetes.io": { namespace, serviceaccount: { name, uid } },
        sub: userName(namespace, name),
      };
      const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
      const token = `${text}.${signature(await signingKey(env, storage), text)}`;
      return { token, expiresAt: formatTimestamp((iat + seconds) * 1000) };
    },
    verify: (token, wanted) => {
      const claims = verified(storage, token);
      const audiences = wanted.filter((audience) => claims?.aud.includes(audience));
      if (!claims || claims.exp * 1000 <= env.clock.now() || audiences.length === 0) return undefined;
      const { namespace, serviceaccount } = claims["kubernetes.io"];
      const account = storage.get({ resource: ACCOUNTS, namespace, name: serviceaccount.name });
      if (account?.metadata.uid !== serviceaccount.uid) return undefined;
      const user = {
        name: userName(namespace, serviceaccount.name),
        uid: serviceaccount.uid,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
      };
      return { user, audiences };
    },
  };
}

function userName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

async function signingKey(env: Env, storage: Storage): Promise<string> {
  const known = storedKey(storage);
  if (known !== undefined) return known;
  const key = Buffer.from(`${env.uuid()}${env.uuid()}`).toString("base64");
  const metadata = {
    name: KEY.name,
    namespace: KEY.namespace,
    uid: env.uuid(),
    creationTimestamp: formatTimestamp(env.clock.now()),
  };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    type: "capstan.dev/signing-key",
    data: { key },
  };
  await storage.create(KEY, secret).catch((error: unknown) => {
    // A concurrent request has created the key for the first token; use that one.
    if (!(error instanceof StaleWriteError)) throw error;
  });
  return storedKey(storage) ?? key;
}

function storedKey(storage: Storage): string | undefined {
  const { data } = (storage.get(KEY) ?? {}) as { data?: { key?: string } };
  return data?.key;
}

function verified(storage: Storage, token: string): Claims | undefined {
  const key = storedKey(storage);
  const [head = "", body = "", proof = "", ...more] = token.split(".");
  if (key === undefined || more.length > 0) return undefined;
  const wanted = Buffer.from(signature(key, `${head}.${body}`));
  const given = Buffer.from(proof);
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return undefined;
  return JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Claims;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signature(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
