import { createHash } from "node:crypto";
import { dirname } from "node:path";
import {
  type AzureClusterIdentity,
  type Frozen,
  identityFile,
  identitySecret,
  type Secret,
} from "@capstan/api";
import { Sensitive } from "@capstan/runtime";
import { AzureError } from "../port.ts";
import type { Proof } from "./entra.ts";

/** Reads a small regular file of a folder; rejects when the path leads to anything else. */
export type ReadCredentialFile = (path: string, folder: string) => Promise<string>;

/** The sources of secrets. */
export interface SecretPorts {
  /** A Secret of the management cluster; undefined when it does not exist. */
  readonly readSecret: (namespace: string, name: string) => Promise<Frozen<Secret> | undefined>;
  readonly readFile: ReadCredentialFile;
  /** The file with the manager's service account token, for workload identity. */
  readonly federatedTokenFile?: string;
}

/** A credential, and a key that changes with its Secret. */
export interface FoundProof {
  readonly proof: Proof;
  readonly fingerprint: string;
}

// The path at which Azure's workload identity webhook mounts it.
const FEDERATED_TOKEN_FILE = "/var/run/secrets/azure/tokens/azure-identity-token";
const SECRET_KEY = "clientSecret";

/** Finds the credential of an identity. Throws an AzureError that names what is missing. */
export async function findProof(
  identity: Frozen<AzureClusterIdentity>,
  ports: SecretPorts,
): Promise<FoundProof> {
  switch (identity.spec.type) {
    case "ServicePrincipal":
    case "ManualServicePrincipal": {
      const secret = await readSecretValue(identity, ports);
      return found({ kind: "secret", secret }, secret);
    }
    case "ServicePrincipalCertificate": {
      const pem = await readCertificate(identity, ports);
      return found({ kind: "certificate", pem }, pem);
    }
    case "WorkloadIdentity": {
      const path = ports.federatedTokenFile ?? FEDERATED_TOKEN_FILE;
      return {
        proof: {
          kind: "assertion",
          read: () => readSecretFile({ path, folder: dirname(path) }, identity, ports),
        },
        fingerprint: path,
      };
    }
    case "UserAssignedMSI":
      return { proof: { kind: "machine" }, fingerprint: "" };
    case "UserAssignedIdentityCredential":
      throw unusable(
        identity,
        "spec.type UserAssignedIdentityCredential is not supported; use WorkloadIdentity or ServicePrincipal",
      );
  }
}

async function readCertificate(
  identity: Frozen<AzureClusterIdentity>,
  ports: SecretPorts,
): Promise<Sensitive> {
  const file = identityFile(identity);
  if (file?.problem !== undefined) throw unusable(identity, `spec.certPath ${file.problem}`);
  const pem = file ? await readSecretFile(file, identity, ports) : await readSecretValue(identity, ports);
  checkPem(pem, identity);
  return pem;
}

function found(proof: Proof, secret: Sensitive): FoundProof {
  return { proof, fingerprint: createHash("sha256").update(secret.reveal()).digest("hex") };
}

async function readSecretValue(
  identity: Frozen<AzureClusterIdentity>,
  ports: SecretPorts,
): Promise<Sensitive> {
  const reference = identitySecret(identity);
  if (!reference) throw unusable(identity, "spec.clientSecret.name is not set");
  if (reference.problem !== undefined)
    throw unusable(identity, `spec.clientSecret.namespace ${reference.problem}`);
  const { name, namespace } = reference;
  const secret = await ports.readSecret(namespace, name);
  if (!secret) throw unusable(identity, `Secret ${namespace}/${name} does not exist`);
  const encoded = secret.data?.[SECRET_KEY] ?? "";
  // Files written by hand end with a newline, and so do the Secrets made from them.
  const value = Buffer.from(encoded, "base64").toString("utf8").trimEnd();
  if (value === "")
    throw unusable(identity, `Secret ${namespace}/${name} has no value under the key ${SECRET_KEY}`);
  return new Sensitive(value);
}

/** Every failure gives the same sentence: a user must not learn from it which files the manager has. */
async function readSecretFile(
  { path, folder }: { readonly path: string; readonly folder: string },
  identity: Frozen<AzureClusterIdentity>,
  { readFile }: SecretPorts,
): Promise<Sensitive> {
  try {
    return new Sensitive((await readFile(path, folder)).trimEnd());
  } catch {
    throw unusable(
      identity,
      `${path} cannot be read: it must be a regular file of at most 64 KiB that the manager may read`,
    );
  }
}

function checkPem(pem: Sensitive, identity: Frozen<AzureClusterIdentity>): void {
  const text = pem.reveal();
  if (text.includes("-----BEGIN CERTIFICATE-----") && text.includes("PRIVATE KEY-----")) return;
  throw unusable(identity, "the certificate must be PEM with the certificate and its private key");
}

/** An identity that cannot be used until a user corrects it. */
function unusable(identity: Frozen<AzureClusterIdentity>, why: string): AzureError {
  const { namespace = "default", name } = identity.metadata;
  return new AzureError({
    class: "Auth",
    code: "IdentityNotUsable",
    message: `AzureClusterIdentity ${namespace}/${name}: ${why}`,
  });
}
