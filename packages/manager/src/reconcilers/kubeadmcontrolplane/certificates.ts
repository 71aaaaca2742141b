import {
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  type Frozen,
  type KubeadmControlPlane,
  Secret,
} from "@capstan/api";
import { again, isAlreadyExists, next, type Outcome, transient } from "@capstan/runtime";
import type { Credential } from "../../certificates/credential.ts";
import type { KeyAlgorithm } from "../../cluster-certificates/issuer.ts";
import {
  certificateSecretName,
  CLUSTER_SECRET_TYPE,
  type RequiredCertificate,
  requiredCertificates,
} from "../../cluster-certificates/purposes.ts";
import { storedCredential, storedProblem } from "../../cluster-certificates/stored-certificate.ts";
import type { Scope } from "./scope.ts";

/** Cluster API's condition of the certificates of the cluster. */
export const CERTIFICATES_AVAILABLE = "CertificatesAvailable";
const DEFAULT_ALGORITHM: KeyAlgorithm = "RSA-2048";
const DEFAULT_VALID_DAYS = 3650;
// Secrets of users are not watched, because the manager must not list the Secrets of all users.
const MISSING_RETRY_MS = 30_000;

/**
 * Reads the certificates of the cluster and makes those that are missing. Once the cluster is initialized none is made any
 * more: its machines have the old ones, and a new authority would not fit.
 */
export async function ensureCertificates(scope: Scope): Promise<Outcome> {
  const { context, controlPlane } = scope;
  const { clusterConfiguration = {} } = controlPlane.spec.kubeadmConfigSpec ?? {};
  const problems: string[] = [];
  for (const required of requiredCertificates(clusterConfiguration)) {
    const problem = await ensureCertificate(scope, required);
    if (problem !== undefined) problems.push(problem);
  }
  const type = CERTIFICATES_AVAILABLE;
  if (problems.length === 0) {
    context.setCondition({ type, status: "True", reason: "Available" });
    return next;
  }
  const message = problems.join("; ");
  scope.certificateProblem = message;
  context.setCondition({ type, status: "False", severity: "Error", reason: "NotAvailable", message });
  return again(MISSING_RETRY_MS, "WaitingForCertificates");
}

async function ensureCertificate(scope: Scope, required: RequiredCertificate): Promise<string | undefined> {
  const { context, authorities, controlPlane } = scope;
  const name = secretName(scope, required);
  const secret = await find(scope, name);
  if (secret) {
    const credential = storedCredential(secret);
    const problem = storedProblem(credential, required, context.env.clock.now());
    if (problem === undefined) authorities.set(required.purpose, credential);
    return problem && `Secret ${name} ${problem}`;
  }
  if (!required.isMade) return `Secret ${name} does not exist; create it with the certificates of your etcd`;
  if (controlPlane.status?.initialization?.controlPlaneInitialized === true)
    return `Secret ${name} is gone, and the machines of the cluster have certificates from it; restore it from a backup`;
  authorities.set(required.purpose, await create(scope, required, name));
  return undefined;
}

/** The cached answer may be half a minute old, so a missing Secret is looked up at the server before it is created. */
async function find(
  { context, controlPlane, shared }: Scope,
  name: string,
): Promise<Frozen<Secret> | undefined> {
  const { namespace = "" } = controlPlane.metadata;
  const cached = await shared.ports.readSecret(namespace, name);
  return cached ?? (await context.client.find(Secret, { name, namespace }));
}

async function create(scope: Scope, required: RequiredCertificate, name: string): Promise<Credential> {
  const { context } = scope;
  const credential = await issue(scope, required);
  try {
    await context.client.create(
      Secret,
      clusterSecret(scope, name, { "tls.crt": credential.cert, "tls.key": credential.key }),
    );
  } catch (error) {
    // Another client was faster: its certificate is the one that counts.
    if (isAlreadyExists(error)) throw transient("CertificateMade", `Secret ${name} exists by now`);
    throw error;
  }
  context.event({ type: "Normal", reason: "CertificateCreated", message: `Created Secret ${name}` });
  return credential;
}

async function issue(scope: Scope, { purpose }: RequiredCertificate): Promise<Credential> {
  const { context, controlPlane, shared } = scope;
  const { clusterConfiguration = {} } = controlPlane.spec.kubeadmConfigSpec ?? {};
  const algorithm = algorithmOf(controlPlane);
  if (purpose === "sa") {
    const { publicKey, privateKey } = await shared.ports.issuer.keyPair(algorithm);
    return { cert: publicKey, key: privateKey };
  }
  const validDays = clusterConfiguration.caCertificateValidityPeriodDays ?? DEFAULT_VALID_DAYS;
  return shared.ports.issuer.authority({ algorithm, validDays, nowMs: context.env.clock.now() });
}

/** The algorithm of the keys of a control plane. */
export function algorithmOf({ spec }: Frozen<KubeadmControlPlane>): KeyAlgorithm {
  return spec.kubeadmConfigSpec?.clusterConfiguration?.encryptionAlgorithm ?? DEFAULT_ALGORITHM;
}

/** A Secret of the cluster that belongs to its control plane. */
export function clusterSecret(
  { controlPlane, cluster }: Scope,
  name: string,
  texts: Readonly<Record<string, string>>,
): Secret {
  const data = Object.entries(texts).map(
    ([key, text]) => [key, Buffer.from(text).toString("base64")] as const,
  );
  return {
    apiVersion: Secret.apiVersion,
    kind: Secret.kind,
    metadata: {
      name,
      namespace: controlPlane.metadata.namespace ?? "",
      labels: { [CLUSTER_NAME_LABEL]: cluster?.metadata.name ?? "" },
      ownerReferences: [controllerReferenceTo(controlPlane)],
    },
    type: CLUSTER_SECRET_TYPE,
    data: Object.fromEntries(data),
  };
}

function secretName({ cluster }: Scope, { purpose }: RequiredCertificate): string {
  return certificateSecretName(cluster?.metadata.name ?? "", purpose);
}
