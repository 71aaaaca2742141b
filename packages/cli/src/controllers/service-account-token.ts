import { DEFAULT_SERVICE_ACCOUNT } from "@capstan/azure-sim";
import type { Clock } from "@capstan/env";
import type { ReadCredentialFile } from "@capstan/azure";

/** Where the manager of a simulation finds its service account token; no such file exists on the disk. */
export const SIMULATED_TOKEN_FILE = "/simulated/azure-identity-token";

// Kubernetes projects service account tokens for an hour.
const LIFETIME_SECONDS = 3600;

/**
 * Adds the token of the manager's simulated service account to the files that `readFile` finds. The simulated Entra
 * trusts this service account, so an AzureClusterIdentity of type WorkloadIdentity logs in without any set-up.
 */
export function withServiceAccountToken(clock: Clock, readFile: ReadCredentialFile): ReadCredentialFile {
  return (path, folder) =>
    path === SIMULATED_TOKEN_FILE
      ? Promise.resolve(serviceAccountToken(clock.now()))
      : readFile(path, folder);
}

/** An unsigned token: the simulated Entra checks its claims, not its signature. */
function serviceAccountToken(nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000);
  const claims = {
    iss: DEFAULT_SERVICE_ACCOUNT.issuer,
    sub: DEFAULT_SERVICE_ACCOUNT.subject,
    aud: ["api://AzureADTokenExchange"],
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
  };
  return [{ alg: "none", typ: "JWT" }, claims, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
}
