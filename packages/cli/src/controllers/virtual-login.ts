import type { Transport } from "@capstan/env";
import { type Applicant, AzureError, type FreshToken } from "@capstan/azure";
import { Sensitive } from "@capstan/runtime";

/**
 * Logs in at a simulated Entra with a plain request. Elsewhere Azure's own library logs in, but it uses the machine's
 * timers and ids, so a run in virtual time would not be repeatable.
 */
export async function virtualLogin(entra: Transport, applicant: Applicant): Promise<FreshToken> {
  const { tenantID, clientID, proof } = applicant;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientID,
    ...(await credentialFields(proof)),
    scope: "https://management.azure.com/.default",
  });
  const answer = await entra.request({
    method: "POST",
    path: `/${tenantID}/oauth2/v2.0/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  });
  const said = (await answer.json()) as Readonly<Record<string, unknown>>;
  if (answer.status === 200) {
    return {
      token: new Sensitive(String(said["access_token"])),
      lifetimeMs: Number(said["expires_in"]) * 1000,
    };
  }
  const wait = Number(answer.headers["retry-after"]);
  throw new AzureError({
    class: answer.status === 429 ? "Throttled" : answer.status < 500 ? "Auth" : "Transient",
    ...(wait > 0 && { retryAfterMs: wait * 1000 }),
    code: textIn(said["error"]) ?? "EntraUnavailable",
    message: textIn(said["error_description"]) ?? `the simulated Entra answered ${answer.status}`,
    status: answer.status,
  });
}

async function credentialFields(proof: Applicant["proof"]): Promise<Readonly<Record<string, string>>> {
  switch (proof.kind) {
    case "secret":
      return { client_secret: proof.secret.reveal() };
    case "assertion":
      return {
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: (await proof.read()).reveal(),
      };
    case "certificate":
    case "machine": {
      const message = `an identity with ${proof.kind} cannot log in to a simulated world; use WorkloadIdentity or a ServicePrincipal with a secret`;
      throw new AzureError({ class: "Auth", code: "NotInVirtualTime", message });
    }
  }
}

/** Entra answers with strings; a fault may put any other value in place of its answer. */
function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
