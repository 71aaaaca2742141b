import {
  type Applicant,
  acquireToken,
  Azure,
  type EntraPorts,
  renewedTokens,
  type TokenSource,
} from "@capstan/azure";
import { Sensitive } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { readCredentialFile } from "../controllers/credential-file.ts";
import type { Shell } from "../shell.ts";
import { dirname } from "node:path";

/** Azure for a program that logs in as itself: it reads no identity of a cluster. */
export function azureOfOwnIdentity(
  ports: Pick<ConstructorParameters<typeof Azure>[0], "env" | "cloud" | "connect">,
): Azure {
  return new Azure({
    ...ports,
    readSecret: () => Promise.resolve(undefined),
    readFile: () => Promise.reject(new Error("no identity of a cluster is used here")),
    namespaceLabels: () => Promise.resolve(undefined),
  });
}

const ACCESS_TOKEN_MS = 30 * 60_000;

/** A login of the program itself: a token of `az account get-access-token`, or an identity, by Azure's usual variables. */
export function ownTokens(
  { variables }: Pick<Shell, "variables">,
  ports: EntraPorts,
  allowed: "a secret" | "any identity",
): TokenSource {
  const { clock } = ports.env;
  const token = variables["AZURE_ACCESS_TOKEN"];
  if (token !== undefined && token !== "")
    return renewedTokens({
      principal: "AZURE_ACCESS_TOKEN",
      clock,
      acquire: () => Promise.resolve({ token: new Sensitive(token), lifetimeMs: ACCESS_TOKEN_MS }),
    });
  const applicant = applicantIn(variables, allowed);
  if (!applicant)
    throw new CommandError(
      "no login for Azure: set AZURE_ACCESS_TOKEN (az account get-access-token --query accessToken -o tsv), or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET of a service principal",
    );
  return renewedTokens({
    principal: `${applicant.tenantID}/${applicant.clientID}`,
    clock,
    acquire: () => acquireToken(applicant, ports),
  });
}

/** As in Azure's own libraries: a secret first, then a federated token, then the managed identity of the machine. */
function applicantIn(variables: Shell["variables"], allowed: string): Applicant | undefined {
  const [tenantID = "", clientID = "", secret = "", tokenFile = ""] = [
    "AZURE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_FEDERATED_TOKEN_FILE",
  ].map((name) => variables[name] ?? "");
  if (tenantID === "" || clientID === "") return undefined;
  if (secret !== "") return { tenantID, clientID, proof: { kind: "secret", secret: new Sensitive(secret) } };
  if (allowed === "a secret") return undefined;
  if (tokenFile === "") return { tenantID, clientID, proof: { kind: "machine" } };
  const read = async (): Promise<Sensitive> =>
    new Sensitive((await readCredentialFile(tokenFile, dirname(tokenFile))).trim());
  return { tenantID, clientID, proof: { kind: "assertion", read } };
}
