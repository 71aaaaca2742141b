import { customKinds, isJsonObject, type Frozen, type KubernetesObject, Secret } from "@capstan/api";
import type { StoredObject } from "@capstan/apiserver";
import type { World } from "./world.ts";

/** What a run led to, without names, times and counts that differ from run to run although all is well. */
export interface EndState {
  /** Our objects in the management cluster. */
  readonly objects: readonly unknown[];
  /** Secrets there, by name and keys: their bytes are random. */
  readonly secrets: readonly string[];
  /** Everything in Azure, by type, name and state. */
  readonly resources: readonly string[];
  /** Scale sets with the numbers of their instances. */
  readonly scaleSets: readonly unknown[];
}

/** Takes the picture of a world that two runs are compared by. */
export function endStateOf(world: World): EndState {
  const { storage } = world.management;
  const objects = customKinds.flatMap(({ group, plural }) => [
    ...storage.list({ resource: `${group}/${plural}` }),
  ]);
  const secrets = [...storage.list({ resource: `${Secret.group}/${Secret.plural}` })];
  const { resources, scaleSets } = world.azure.control.state();
  return {
    objects: sorted(objects.map(comparable)),
    secrets: secrets.map((secret) => `${nameOf(secret)}: ${keysOf(secret)}`).toSorted(),
    resources: resources.map(({ id, type, state }) => `${type} ${id.toLowerCase()} ${state}`).toSorted(),
    scaleSets: sorted(scaleSets.map(({ modelVersion: _, ...rest }) => rest)),
  };
}

// Written by servers and by time; two good runs differ in them.
const FLEETING = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "generation",
  "observedGeneration",
  "managedFields",
  "lastTransitionTime",
]);

function comparable(object: StoredObject): unknown {
  const { metadata } = object;
  const owners = metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`);
  return {
    ...(withoutFleeting(object) as object),
    metadata: {
      name: nameOf(object),
      namespace: metadata.namespace,
      labels: metadata.labels,
      annotations: metadata.annotations,
      finalizers: metadata.finalizers,
      owners,
    },
  };
}

/** A name that its controller drew at random says only whose it is. */
function nameOf({ metadata }: Frozen<KubernetesObject>): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.name;
  return owner !== undefined && metadata.name.startsWith(`${owner}-`) ? `${owner}-*` : metadata.name;
}

function keysOf(secret: StoredObject): string {
  const { data } = secret as { data?: object };
  return Object.keys(data ?? {})
    .toSorted()
    .join(",");
}

function withoutFleeting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFleeting);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      FLEETING.has(key) ? [] : [[key, withoutFleeting(child)]],
    ),
  );
}

function sorted(values: readonly unknown[]): unknown[] {
  return values
    .map((value) => ({ value, text: JSON.stringify(value) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ value }) => value);
}
