import type { HttpClient } from "@azure/core-rest-pipeline";
import type * as AzureIdentity from "@azure/identity";
import type { TokenCredentialOptions } from "@azure/identity";
import { type Env, TransportError } from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import { type Connect, httpClientOver } from "../arm/http-client.ts";
import { parseObject } from "../arm/json.ts";
import type { Cloud } from "../cloud.ts";
import { AzureError } from "../port.ts";
import type { FreshToken } from "./renewal.ts";

/** The credential of an identity. */
export type Proof =
  | { readonly kind: "secret"; readonly secret: Sensitive }
  /** PEM with the certificate and its key. */
  | { readonly kind: "certificate"; readonly pem: Sensitive }
  /** A token of another issuer, read for each request because it is rotated. */
  | { readonly kind: "assertion"; readonly read: () => Promise<Sensitive> }
  /** The managed identity of the machine on which the manager runs. */
  | { readonly kind: "machine" };

/** The identity that requests a token. */
export interface Applicant {
  readonly tenantID: string;
  readonly clientID: string;
  readonly proof: Proof;
}

export interface EntraPorts {
  readonly cloud: Cloud;
  readonly connect: Connect;
  readonly env: Env;
  /** A replacement for Azure's library, whose timers and ids are the machine's: for virtual time. */
  readonly acquire?: (applicant: Applicant) => Promise<FreshToken>;
}

// Entra ID answers within a second or not at all.
const TIMEOUT_MS = 30_000;
// Entra ID's default lifetime.
const USUAL_LIFETIME_MS = 3_600_000;

/** Requests a token from Entra ID (or the machine), with Azure's library over our transport. */
export async function acquireToken(applicant: Applicant, ports: EntraPorts): Promise<FreshToken> {
  // The library is large, so it is loaded when first needed; the loading does not count towards the deadline.
  const library = await import("@azure/identity");
  const notes: Notes = {};
  const deadline = new AbortController();
  const timer = ports.env.clock.timer(TIMEOUT_MS, () => deadline.abort(new Error("the deadline has passed")));
  try {
    const credential = credentialOf(library, applicant, {
      authorityHost: ports.cloud.authority,
      httpClient: noting(httpClientOver(ports.connect), notes, deadline.signal),
      retryOptions: { maxRetries: 0 },
    });
    const answer = await credential.getToken(ports.cloud.scope);
    return { token: new Sensitive(answer.token), lifetimeMs: notes.lifetimeMs ?? USUAL_LIFETIME_MS };
  } catch (error) {
    // The library's own error is not kept as the cause, because it contains the request with the secret.
    throw explain(error, applicant, { notes, isLate: deadline.signal.aborted });
  } finally {
    timer.cancel();
  }
}

interface TokenCredential {
  getToken(scope: string): Promise<{ readonly token: string }>;
}

/** One for each token: the library caches tokens by the machine's clock, and ours must follow the env clock. */
function credentialOf(
  identity: typeof AzureIdentity,
  { tenantID, clientID, proof }: Applicant,
  options: TokenCredentialOptions,
): TokenCredential {
  // The authority is from our own table, so it needs no discovery.
  const known = { ...options, disableInstanceDiscovery: true };
  switch (proof.kind) {
    case "secret":
      return new identity.ClientSecretCredential(tenantID, clientID, proof.secret.reveal(), known);
    case "certificate":
      return new identity.ClientCertificateCredential(
        tenantID,
        clientID,
        { certificate: proof.pem.reveal() },
        known,
      );
    case "assertion": {
      const read = async (): Promise<string> => (await proof.read()).reveal();
      return new identity.ClientAssertionCredential(tenantID, clientID, read, known);
    }
    case "machine":
      return new identity.ManagedIdentityCredential({ ...options, clientId: clientID });
  }
}

/** Notes about the answers, taken while the library handles them. */
interface Notes {
  lifetimeMs?: number;
  failure?: Error;
  status?: number;
  retryAfterMs?: number;
  /** Entra ID's error. */
  error?: string;
  description?: string;
}

function noting(client: HttpClient, notes: Notes, deadline: AbortSignal): HttpClient {
  return {
    sendRequest: async (request) => {
      const own = request.abortSignal as AbortSignal | undefined;
      request.abortSignal = own ? AbortSignal.any([own, deadline]) : deadline;
      try {
        const answer = await client.sendRequest(request);
        note(notes, answer.status, answer.bodyAsText ?? "");
        const seconds = Number(answer.headers.get("retry-after"));
        if (seconds > 0) notes.retryAfterMs = seconds * 1000;
        return answer;
      } catch (error) {
        notes.failure = error instanceof Error ? error : new Error(String(error));
        throw error;
      }
    },
  };
}

function note(notes: Notes, status: number, text: string): void {
  const body = parseObject(text);
  const seconds = Number(body?.["expires_in"]);
  if (seconds > 0) notes.lifetimeMs = seconds * 1000;
  if (status < 400) return;
  notes.status = status;
  if (typeof body?.["error"] === "string") notes.error = body["error"];
  if (typeof body?.["error_description"] === "string") notes.description = body["error_description"];
}

interface Failed {
  readonly notes: Notes;
  readonly isLate: boolean;
}

function explain(error: unknown, applicant: Applicant, { notes, isLate }: Failed): AzureError {
  if (error instanceof AzureError) return error;
  const who = `no token for client ${applicant.clientID} of tenant ${applicant.tenantID}`;
  if (isLate) return transient(`${who}: Entra ID did not answer within ${TIMEOUT_MS / 1000} s`);
  if (notes.failure instanceof TransportError) return transient(`${who}: ${notes.failure.message}`);
  const said = notes.description ?? (error instanceof Error ? error.message : String(error));
  return refusal(`${who}: ${withoutSecrets(said, applicant.proof)}`, notes);
}

function refusal(message: string, { status = 0, error, retryAfterMs }: Notes): AzureError {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429) {
    return new AzureError({ class: "Throttled", code: "TooManyRequests", message, status, ...wait });
  }
  if (status >= 500) return transient(message, wait);
  const code = /AADSTS\d+/.exec(message)?.[0] ?? error ?? "AuthenticationFailed";
  return new AzureError({ class: "Auth", code, message, ...(status > 0 && { status }) });
}

function transient(message: string, wait: { readonly retryAfterMs?: number } = {}): AzureError {
  return new AzureError({ class: "Transient", code: "EntraUnavailable", message, ...wait });
}

// Three parts of base64url; the first one is always the start of a JSON object.
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]*/g;

/** Entra ID does not echo secrets; this redacts them in case another server on the way does. */
function withoutSecrets(text: string, proof: Proof): string {
  const first = (text.split(/\r?\n/, 1)[0] ?? "").replaceAll(TOKEN, "[redacted]");
  return proof.kind === "secret" ? first.replaceAll(proof.secret.reveal(), "[redacted]") : first;
}
