import { customKinds, isJsonObject, type Frozen, type KubernetesObject, Secret } from "@capstan/api";
import type { StoredObject } from "@capstan/apiserver";
import type { World } from "./world.ts";

/** The outcome of a run, without names, times and counts that differ between good runs. */
export interface EndState {
  /** Our objects in the management cluster. */
  readonly objects: readonly unknown[];
  /** Secrets by name and keys: their values are random. */
  readonly secrets: readonly string[];
  /** All Azure resources, by type, name and state. */
  readonly resources: readonly string[];
  /** Scale sets with their instance counts. */
  readonly scaleSets: readonly unknown[];
}

/** Captures the state of a world, to compare two runs. */
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
    scaleSets: sorted(
      scaleSets.map(({ id, capacity, instances, latest }) => ({ id, capacity, instances, latest })),
    ),
  };
}

// Fields set by servers or derived from time: good runs differ in them.
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

/** A random name is replaced by its owner's. */
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
