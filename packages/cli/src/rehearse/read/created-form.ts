import {
  AzureClusterIdentity,
  deepCopy,
  isJsonObject,
  type JsonObject,
  type KubernetesObject,
  PAUSED_ANNOTATION,
  Secret,
} from "@capstan/api";
import { DEFAULT_PRINCIPAL } from "@capstan/azure-sim";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { fieldOf, metadataOf } from "./owned-objects.ts";

/** Fields of a spec that controllers fill from what Azure gave them: another Azure gives other values. */
const FILLED: readonly (readonly string[])[] = [
  ["controlPlaneEndpoint"],
  ["providerID"],
  ["providerIDList"],
  ["networkSpec", "vnet", "id"],
];
/** Annotations in which controllers keep what they did; they would keep it again. */
const KEPT_BY_CONTROLLERS = /^(machinedeployment\.clusters\.x-k8s\.io\/|clusterctl\.cluster\.x-k8s\.io\/)/;

/** An object of a dump in the form in which a user would create it; not paused, so that it grows. */
export function createdForm(object: GivenObject): KubernetesObject {
  const {
    status: _,
    metadata: __,
    spec: given,
    ...rest
  } = object as GivenObject & { readonly status?: unknown };
  const spec = given === undefined ? undefined : ownSpec(deepCopy(given));
  const created = {
    ...rest,
    metadata: ownMetadata(object),
    ...(spec !== undefined && { spec }),
  } as unknown as KubernetesObject;
  return withSimulatedLogin(created);
}

/** A manifest with a login that the simulated Azure knows; how the real one logs in does not matter to a rollout. */
export function withSimulatedLogin<T extends KubernetesObject>(object: T): T {
  return object.kind === AzureClusterIdentity.kind ? simulatedIdentity(object) : object;
}

function ownMetadata(object: GivenObject): object {
  const { name, namespace } = object.metadata;
  const { labels, annotations } = metadataOf(object);
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(isJsonObject(labels) && { labels }),
    ...(isJsonObject(annotations) && { annotations: ownAnnotations(annotations) }),
  };
}

function ownSpec(spec: unknown): unknown {
  if (!isJsonObject(spec)) return spec;
  for (const path of FILLED) remove(spec, path);
  removeBootstrapSecret(spec);
  remove(spec, ["paused"]);
  return spec;
}

function ownAnnotations(annotations: JsonObject): JsonObject {
  const own = Object.entries(annotations).filter(
    ([key]) => !KEPT_BY_CONTROLLERS.test(key) && key !== PAUSED_ANNOTATION,
  );
  return Object.fromEntries(own);
}

function remove(value: Record<string, unknown>, [first = "", ...rest]: readonly string[]): void {
  const inner = value[first];
  if (rest.length === 0) delete value[first];
  else if (isJsonObject(inner)) remove(inner, rest);
}

/** A bootstrap config names its Secret again; a Secret that a user gave stays. */
function removeBootstrapSecret(spec: JsonObject): void {
  for (const path of [["template", "spec", "bootstrap"], ["bootstrap"]]) {
    const bootstrap = fieldOf(spec, ...path);
    if (isJsonObject(bootstrap) && bootstrap["configRef"] !== undefined)
      remove(bootstrap, ["dataSecretName"]);
  }
}

/** The simulated Azure knows one principal. */
function simulatedIdentity<T extends KubernetesObject>(identity: T): T {
  const { spec } = identity as T & { readonly spec?: unknown };
  const { tenantId: tenantID, clientId: clientID } = DEFAULT_PRINCIPAL;
  const allowedNamespaces = fieldOf(spec, "allowedNamespaces");
  return {
    ...identity,
    spec: {
      type: "WorkloadIdentity",
      tenantID,
      clientID,
      ...(allowedNamespaces !== undefined && { allowedNamespaces }),
    },
  };
}

/** A Secret that a bootstrap config refers to: its content, or a placeholder of the same keys. */
export function bootstrapSecret(
  name: { readonly namespace: string; readonly name: string; readonly keys: readonly string[] },
  given: GivenObject | undefined,
): KubernetesObject {
  const placeholder = Buffer.from("redacted").toString("base64");
  const data = fieldOf(given, "data");
  const known = isJsonObject(data) ? Object.entries(data) : [];
  const texts = known.filter((entry): entry is [string, string] => isBase64(entry[1]));
  const missing = name.keys.map((key): [string, string] => [key, placeholder]);
  return {
    apiVersion: Secret.apiVersion,
    kind: Secret.kind,
    metadata: { namespace: name.namespace, name: name.name },
    data: { ...Object.fromEntries(missing), ...Object.fromEntries(texts) },
  } as KubernetesObject;
}

/** Tools that redact a dump put other texts there. */
function isBase64(value: unknown): value is string {
  return typeof value === "string" && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
