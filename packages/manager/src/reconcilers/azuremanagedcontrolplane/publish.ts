import {
  type AsoObject,
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  type Frozen,
  isJsonObject,
  isTrue,
  type KubernetesObject,
  Secret,
  withLeadingV,
} from "@capstan/api";
import { again, next, type Outcome, type PassSummary, waiting } from "@capstan/runtime";
import { asoOutputs, currentVersion, isNewer } from "@capstan/plan";
import { summarize } from "../../contract/ready.ts";
import { kubeconfigSecretName } from "../../workload/kubeconfig-secret.ts";
import { RUNNING } from "./reconcile.ts";
import type { Scope } from "./scope.ts";

const API_SERVER_PORT = 443;
// A Secret is read, not watched.
const SECRET_MS = 10_000;
// Azure Service Operator renews its Secret after each change of the cluster; this is how often the copy is compared.
const REFRESH_MS = 10 * 60_000;

/** Publishes the endpoint. */
export function publishEndpoint({ controlPlane, managedCluster }: Scope): Outcome {
  const host = addressIn(managedCluster);
  if (host === undefined)
    throw waiting("WaitingForControlPlaneEndpoint", "AKS has not reported the name of the API server yet");
  controlPlane.spec.controlPlaneEndpoint = { host, port: API_SERVER_PORT };
  return next;
}

/** A private cluster without a public name has a private one only. */
function addressIn(managedCluster: Frozen<AsoObject> | undefined): string | undefined {
  const { fqdn, privateFQDN } = managedCluster?.status ?? {};
  return [fqdn, privateFQDN].find((name): name is string => typeof name === "string" && name !== "");
}

/** Copies the kubeconfigs that Azure Service Operator wrote to where Cluster API expects them. */
export async function publishKubeconfigs(scope: Scope): Promise<Outcome> {
  const { clusterName, managedCluster } = scope;
  const names = asoOutputs(clusterName);
  const copies = [
    {
      from: sourceOf(managedCluster, "adminCredentials") ?? { name: names.admin, key: "value" },
      to: kubeconfigSecretName(clusterName),
    },
    { from: sourceOf(managedCluster, "userCredentials"), to: `${kubeconfigSecretName(clusterName)}-user` },
  ];
  const [admin, user] = copies;
  const hasAdmin = admin?.from !== undefined && (await copy(scope, admin.from, admin.to));
  if (user?.from) await copy(scope, user.from, user.to);
  if (!hasAdmin && !user?.from) return again(SECRET_MS, "WaitingForKubeconfig");
  return again(REFRESH_MS, "RefreshingKubeconfig");
}

interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** A ManagedCluster that a user brought may name other Secrets. */
function sourceOf(managedCluster: Frozen<AsoObject> | undefined, field: string): SecretKey | undefined {
  const operatorSpec = managedCluster?.spec["operatorSpec"];
  const secrets = isJsonObject(operatorSpec) ? operatorSpec["secrets"] : undefined;
  const place = isJsonObject(secrets) ? secrets[field] : undefined;
  if (!isJsonObject(place)) return undefined;
  const { name, key } = place;
  return typeof name === "string" && typeof key === "string" ? { name, key } : undefined;
}

async function copy(
  { context, clusterName, controlPlane }: Scope,
  from: SecretKey,
  to: string,
): Promise<boolean> {
  const { namespace } = controlPlane.metadata;
  const source = await context.client.find(Secret, { name: from.name, namespace });
  const value = source?.data?.[from.key];
  if (value === undefined) return false;
  const known = await context.client.find(Secret, { name: to, namespace });
  if (known?.data?.["value"] === value) return true;
  if (known) {
    const body = { metadata: { resourceVersion: known.metadata.resourceVersion }, data: { value } };
    await context.client.patch(Secret, { name: to, namespace }, { type: "merge", body });
    return true;
  }
  await context.client.create(Secret, {
    metadata: {
      name: to,
      ...(namespace !== undefined && { namespace }),
      labels: { [CLUSTER_NAME_LABEL]: clusterName },
      ownerReferences: [controllerReferenceTo(controlPlane as Frozen<KubernetesObject>)],
    },
    type: "cluster.x-k8s.io/secret",
    data: { value },
  });
  return true;
}

const SUMMED_UP = ["ResourceGroupReady", "VNetGroupReady", "VNetReady", "SubnetsReady", RUNNING];

/** Reports what AKS says about the cluster. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { controlPlane, context } = scope;
  if (controlPlane.metadata.deletionTimestamp !== undefined) return;
  const isRunning = isTrue(controlPlane.status?.conditions, RUNNING);
  const isInitialized = isRunning || (controlPlane.status?.initialized ?? false);
  controlPlane.status = {
    ...controlPlane.status,
    ready: isRunning,
    initialized: isInitialized,
    ...(isInitialized && { initialization: { controlPlaneInitialized: true } }),
    externalManagedControlPlane: true,
    ...observedFields(scope),
  };
  summarize(controlPlane, SUMMED_UP, context.env.clock.now());
  claimReady();
}

type Status = NonNullable<Scope["controlPlane"]["status"]>;

function observedFields({ controlPlane, managedCluster }: Scope): Partial<Status> {
  const running = currentVersion(managedCluster);
  const version = running === undefined ? undefined : withLeadingV(running);
  const issuerURL = issuerIn(managedCluster);
  return {
    ...(version !== undefined && { version, versions: [{ version }] }),
    ...(isNewer(running, controlPlane.spec.version) && { autoUpgradeVersion: withLeadingV(running ?? "") }),
    ...(issuerURL !== undefined && { oidcIssuerProfile: { issuerURL } }),
  };
}

function issuerIn(managedCluster: Frozen<AsoObject> | undefined): string | undefined {
  const profile = managedCluster?.status?.["oidcIssuerProfile"];
  const url = isJsonObject(profile) ? profile["issuerURL"] : undefined;
  return typeof url === "string" ? url : undefined;
}
