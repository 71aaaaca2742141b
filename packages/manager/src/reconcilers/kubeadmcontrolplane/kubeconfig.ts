import { controllerReferenceTo, type Frozen, isSameOwner, Secret } from "@capstan/api";
import { block, createIfMissing, next, type Outcome } from "@capstan/runtime";
import { kubeconfigText, readKubeconfigFacts } from "../../cluster-certificates/kubeconfig-text.ts";
import { CLUSTER_SECRET_TYPE } from "../../cluster-certificates/purposes.ts";
import { kubeconfigSecretName } from "../../workload/kubeconfig-secret.ts";
import { algorithmOf, clusterSecret } from "./certificates.ts";
import type { Scope } from "./scope.ts";

const DAY_MS = 24 * 3_600_000;
const VALID_DAYS = 365;
// Renewed at half of its life, so that clients have months to read the new one.
const RENEWAL_MS = (VALID_DAYS / 2) * DAY_MS;
const ENDPOINT_RETRY_MS = 60_000;

/** Writes the administrator's kubeconfig of the cluster, and renews it long before it expires. One of a user stays as it is. */
export async function ensureKubeconfig(scope: Scope): Promise<Outcome> {
  const server = serverOf(scope);
  // The infrastructure sets the endpoint, and the Cluster then enqueues the control plane.
  if (server === undefined) return block(ENDPOINT_RETRY_MS, "WaitingForControlPlaneEndpoint");
  const { context, controlPlane, cluster, shared } = scope;
  const { namespace = "" } = controlPlane.metadata;
  const name = kubeconfigSecretName(cluster?.metadata.name ?? "");
  const cached = await shared.ports.readSecret(namespace, name);
  if (cached && needsRenewal(scope, cached, server) === undefined) return next;
  // The cached answer may be half a minute old.
  const secret = await context.client.find(Secret, { name, namespace });
  if (!secret) return create(scope, name, server);
  const why = needsRenewal(scope, secret, server);
  if (why !== undefined) await renew(scope, secret, { server, why });
  return next;
}

/** A kubeconfig cannot be signed without the key of the authority; users who keep it must bring the kubeconfig, too. */
async function create(scope: Scope, name: string, server: string): Promise<Outcome> {
  const text = await issue(scope, server);
  if (text === undefined) return next;
  await createIfMissing(scope.context.client, Secret, clusterSecret(scope, name, { value: text }));
  return next;
}

async function renew(
  scope: Scope,
  secret: Frozen<Secret>,
  { server, why }: { readonly server: string; readonly why: string },
): Promise<void> {
  const { context } = scope;
  const text = await issue(scope, server);
  if (text === undefined) return;
  const { name, namespace, resourceVersion } = secret.metadata;
  const body = { metadata: { resourceVersion }, data: { value: Buffer.from(text).toString("base64") } };
  await context.client.patch(Secret, { name, namespace }, { type: "merge", body });
  const message = `Renewed Secret ${name}: ${why}; clients must read it again`;
  context.event({ type: "Normal", reason: "KubeconfigRenewed", message });
}

async function issue(scope: Scope, server: string): Promise<string | undefined> {
  const { context, shared, authorities, cluster, controlPlane } = scope;
  const authority = authorities.get("ca");
  if (!authority || authority.key === "") return undefined;
  const algorithm = algorithmOf(controlPlane);
  const client = await shared.ports.issuer.client(authority, {
    user: "kubernetes-admin",
    groups: ["system:masters"],
    algorithm,
    validDays: VALID_DAYS,
    nowMs: context.env.clock.now(),
  });
  return kubeconfigText({ cluster: cluster?.metadata.name ?? "", server, authority: authority.cert, client });
}

function needsRenewal(scope: Scope, secret: Frozen<Secret>, server: string): string | undefined {
  return isOurs(scope, secret) ? whyRenew(secret, server, scope.context.env.clock.now()) : undefined;
}

function isOurs({ controlPlane }: Scope, { type, metadata }: Frozen<Secret>): boolean {
  const owner = controllerReferenceTo(controlPlane);
  return (
    type === CLUSTER_SECRET_TYPE && (metadata.ownerReferences ?? []).some((one) => isSameOwner(one, owner))
  );
}

function whyRenew({ data = {} }: Frozen<Secret>, server: string, nowMs: number): string | undefined {
  const facts = readKubeconfigFacts(Buffer.from(data["value"] ?? "", "base64").toString("utf8"));
  if (facts.expiresMs === undefined) return "it had no readable client certificate";
  if (facts.expiresMs - nowMs < RENEWAL_MS)
    return `its client certificate expires at ${new Date(facts.expiresMs).toISOString()}`;
  return facts.server === server ? undefined : `the endpoint of the cluster is now ${server}`;
}

function serverOf({ cluster }: Scope): string | undefined {
  const { host = "", port = 0 } = cluster?.spec.controlPlaneEndpoint ?? {};
  if (host === "" || port === 0) return undefined;
  return `https://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}
