/** The Secrets and ConfigMaps that `spec.operatorSpec` asks for. */
import { ConfigMap, controllerReferenceTo, isJsonObject, Secret } from "@capstan/api";
import { again, next, type Outcome, unlessGone } from "@capstan/runtime";
import { annotation, RESOURCE_ID_ANNOTATION, type Scope } from "./scope.ts";

interface Destination {
  readonly name: string;
  readonly key: string;
}

const CREDENTIALS = {
  adminCredentials: "listClusterAdminCredential",
  userCredentials: "listClusterUserCredential",
} as const;

// The API server of a new cluster may take a moment longer than its resource.
const RETRY_MS = 10_000;

/** Writes the kubeconfigs of a cluster into Secrets: after each change, and once after a restart. */
export async function publishSecrets(scope: Scope): Promise<Outcome> {
  const { object, published } = scope;
  for (const [field, action] of Object.entries(CREDENTIALS)) {
    const place = destination(scope, "secrets", field);
    if (!place) continue;
    const id = `${object.metadata.uid}/${object.metadata.generation}/${field}`;
    const isThere = await scope.context.client.find(Secret, {
      name: place.name,
      namespace: object.metadata.namespace,
    });
    if (isThere && published.has(id)) continue;
    const value = await kubeconfigFrom(scope, action);
    if (value === undefined) return again(RETRY_MS, "WaitingForCredentials");
    await write(scope, Secret, { name: place.name, data: { [place.key]: value } });
    published.add(id);
  }
  return next;
}

async function kubeconfigFrom({ arm, ...scope }: Scope, action: string): Promise<string | undefined> {
  const { body } = await arm.post(`${annotation(scope, RESOURCE_ID_ANNOTATION)}/${action}`, undefined);
  const kubeconfigs = body?.["kubeconfigs"];
  const first: unknown = Array.isArray(kubeconfigs) ? kubeconfigs[0] : undefined;
  return isJsonObject(first) && typeof first["value"] === "string" ? first["value"] : undefined;
}

/** Writes values of the resource into ConfigMaps: the issuer of service account tokens. */
export async function publishConfigMaps(scope: Scope): Promise<Outcome> {
  const place = destination(scope, "configMaps", "oidcIssuerProfile");
  const properties = scope.actual?.["properties"];
  const profile = isJsonObject(properties) ? properties["oidcIssuerProfile"] : undefined;
  const url = isJsonObject(profile) ? profile["issuerURL"] : undefined;
  if (place && typeof url === "string")
    await write(scope, ConfigMap, { name: place.name, data: { [place.key]: url } });
  return next;
}

function destination(
  { object }: Scope,
  field: "secrets" | "configMaps",
  name: string,
): Destination | undefined {
  const { operatorSpec } = object.spec;
  const all = isJsonObject(operatorSpec) ? operatorSpec[field] : undefined;
  const place = isJsonObject(all) ? all[name] : undefined;
  if (!isJsonObject(place)) return undefined;
  const { name: to, key } = place;
  return typeof to === "string" && typeof key === "string" ? { name: to, key } : undefined;
}

async function write(
  { context, object }: Scope,
  kind: typeof Secret | typeof ConfigMap,
  { name, data }: { readonly name: string; readonly data: Readonly<Record<string, string>> },
): Promise<void> {
  const { namespace } = object.metadata;
  const ownerReferences = [controllerReferenceTo(object)];
  const known = await context.client.find(kind, { name, namespace });
  const isSame = known && Object.entries(data).every(([key, value]) => known.data?.[key] === value);
  if (isSame) return;
  if (!known) {
    await context.client.create(kind, {
      metadata: { name, ...(namespace !== undefined && { namespace }), ownerReferences },
      data,
    });
    return;
  }
  await unlessGone(context.client.patch(kind, { name, namespace }, { type: "merge", body: { data } }));
}
