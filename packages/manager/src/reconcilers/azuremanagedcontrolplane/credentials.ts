import {
  type AzureClusterIdentity,
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  deepEqual,
  type Frozen,
  identitySecret,
  Secret,
} from "@capstan/api";
import { createIfMissing, next, type Outcome, waiting } from "@capstan/runtime";
import { asoSecretName } from "../../aks/aso-objects.ts";
import { armClientFor, identityOf } from "../../azure-cluster/arm-client.ts";
import type { Scope } from "./scope.ts";

const SECRET_MS = 60_000;

/** Writes the credentials of the identity where Azure Service Operator looks for them. */
export async function provideCredentials(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, ports, clusterName } = scope;
  if (!controlPlane.spec.identityRef?.name) return next;
  // Whether the namespace may use the identity is decided where controllers log in, and nowhere else.
  await armClientFor(ports, {
    cluster: controlPlane,
    cache: context.cache,
    controller: "azuremanagedcontrolplane",
  });
  const identity = identityOf(controlPlane, context.cache);
  if (!identity)
    throw waiting("IdentityNotFound", "spec.identityRef names an AzureClusterIdentity that does not exist");
  const data = encoded({ AZURE_SUBSCRIPTION_ID: scope.subscriptionID, ...(await loginOf(scope, identity)) });
  const name = asoSecretName(clusterName);
  await writeSecret(scope, name, data);
  scope.credentialFrom = name;
  return next;
}

async function loginOf(
  { ports }: Scope,
  identity: Frozen<AzureClusterIdentity>,
): Promise<Readonly<Record<string, string>>> {
  const { type, tenantID, clientID } = identity.spec;
  const ids = { AZURE_TENANT_ID: tenantID, AZURE_CLIENT_ID: clientID };
  switch (type) {
    case "ServicePrincipal":
    case "ManualServicePrincipal":
      return { ...ids, AZURE_CLIENT_SECRET: await secretOf(ports, identity, "clientSecret") };
    case "ServicePrincipalCertificate":
      return { ...ids, AZURE_CLIENT_CERTIFICATE: await secretOf(ports, identity, "certificate") };
    case "WorkloadIdentity":
      return { ...ids, AUTH_MODE: "workloadidentity" };
    case "UserAssignedMSI":
    case "UserAssignedIdentityCredential":
      return { ...ids, AUTH_MODE: "podidentity" };
  }
}

async function secretOf(
  { readSecret }: Scope["ports"],
  identity: Frozen<AzureClusterIdentity>,
  key: string,
): Promise<string> {
  const place = identitySecret(identity);
  const secret =
    place && place.problem === undefined ? await readSecret(place.namespace, place.name) : undefined;
  const value = secret?.data?.[key];
  if (value === undefined) {
    const message = `The Secret of AzureClusterIdentity ${identity.metadata.name} does not exist or has no key ${key}`;
    throw waiting("IdentitySecretMissing", message, SECRET_MS);
  }
  return Buffer.from(value, "base64").toString("utf8");
}

function encoded(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
}

async function writeSecret(
  { context, controlPlane, clusterName }: Scope,
  name: string,
  data: Record<string, string>,
): Promise<void> {
  const { namespace } = controlPlane.metadata;
  const known = await context.client.find(Secret, { name, namespace });
  if (known && deepEqual(known.data, data)) return;
  if (known) {
    const body = { metadata: { resourceVersion: known.metadata.resourceVersion }, data };
    await context.client.patch(Secret, { name, namespace }, { type: "merge", body });
    return;
  }
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: { [CLUSTER_NAME_LABEL]: clusterName },
    ownerReferences: [controllerReferenceTo(controlPlane)],
  };
  await createIfMissing(context.client, Secret, { metadata, data });
}
