import { type Frozen, Secret } from "@capstan/api";
import { terminal, waiting } from "@capstan/runtime";
import { caCertHashes } from "../../bootstrap/authority.ts";
import { type Authority, needsAuthority } from "../../bootstrap/discovery.ts";
import { CERTIFICATES_AVAILABLE, type Scope } from "./scope.ts";
import { shownAuthority } from "./workload.ts";

const MISSING_RETRY_MS = 60_000;

/**
 * The authority that the data pins: the pinned one as long as no fresh data is requested, otherwise that of the Secret
 * `<cluster>-ca`, or the one that the cluster publishes.
 */
export async function authorityFor(scope: Scope, known: string | undefined): Promise<Authority | undefined> {
  const { config, context } = scope;
  if (!needsAuthority(config.spec.joinConfiguration?.discovery ?? {})) {
    context.setCondition({ type: CERTIFICATES_AVAILABLE, status: "True", reason: "GivenByUser" });
    return undefined;
  }
  const pem = known ?? (await findAuthority(scope));
  const hashes = caCertHashes(pem);
  if (!hashes) throw corrupted(scope);
  context.setCondition({ type: CERTIFICATES_AVAILABLE, status: "True", reason: "Found" });
  return { pem, hashes };
}

async function findAuthority(scope: Scope): Promise<string> {
  const { context, cluster, ports } = scope;
  const { name, namespace = "" } = cluster.metadata;
  const find = (): Promise<Frozen<Secret> | undefined> =>
    context.client.find(Secret, { name: `${name}-ca`, namespace });
  const secret = await (ports.readSecret?.(namespace, `${name}-ca`) ?? find());
  const certificate = secret?.data?.["tls.crt"];
  if (certificate !== undefined) return Buffer.from(certificate, "base64").toString("utf8");
  const pem = await shownAuthority(scope);
  if (pem !== undefined) return pem;
  const message = `Neither Secret "${name}-ca" nor ConfigMap kube-public/cluster-info of the workload cluster has the certificate authority of Cluster ${JSON.stringify(name)}`;
  context.setCondition({
    type: CERTIFICATES_AVAILABLE,
    status: "False",
    severity: "Info",
    reason: "WaitingForCertificates",
    message,
  });
  throw waiting("WaitingForCertificates", message, MISSING_RETRY_MS);
}

function corrupted({ context, cluster: { metadata } }: Scope): Error {
  const message = `The certificate authority of Cluster ${JSON.stringify(metadata.name)} (key tls.crt of Secret "${metadata.name}-ca", or certificate-authority-data in ConfigMap kube-public/cluster-info) is not a PEM certificate`;
  const reason = "CertificatesCorrupted";
  context.setCondition({ type: CERTIFICATES_AVAILABLE, status: "False", severity: "Error", reason, message });
  return terminal(reason, message);
}
