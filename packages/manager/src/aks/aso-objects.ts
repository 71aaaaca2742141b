/** Reads and applies objects of Azure Service Operator for the controllers of AKS. */
import {
  type AsoObject,
  controllerOf,
  CustomResourceDefinition,
  type Frozen,
  getCondition,
  groupOf,
  isJsonObject,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import {
  type AppliedObject,
  type Context,
  deleteIfExists,
  isNotServed,
  OwnedObjects,
  terminal,
  waiting,
} from "@capstan/runtime";
import { type DesiredObject, newestServed, type ServedVersion } from "@capstan/plan";
import { unknownFieldHint } from "./unknown-field.ts";

type AsoKind = Kind<AsoObject> & { readonly alsoServed: readonly string[] };

// An administrator upgrades Azure Service Operator a few times a year; this is soon enough to use its new versions.
const DEFINITION_MS = 10 * 60_000;
const NOT_INSTALLED_MS = 60_000;

/** The objects of Azure Service Operator that one controller of this process reads and writes. */
export class AsoObjects {
  readonly #owned = new OwnedObjects();
  readonly #clock: Clock;
  readonly #definitions = new Map<
    string,
    { readonly versions: readonly ServedVersion[]; readonly atMs: number }
  >();
  /** One description for each kind and version: caches are keyed by it. */
  readonly #kinds = new Map<string, Kind<AsoObject>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The kind in the newest version that the server serves. */
  async kindOf(
    { client }: Pick<Context<KubernetesObject>, "client">,
    kind: AsoKind,
    { preview = false }: { readonly preview?: boolean } = {},
  ): Promise<Kind<AsoObject>> {
    const versions = await this.#versionsOf(client, kind);
    return this.#inVersion(kind, newestServed(versions, { preview }) ?? kind.version);
  }

  /** The object; undefined while it does not exist. Throws a Failure when Azure Service Operator is not installed. */
  async find<T extends KubernetesObject>(
    context: Context<T>,
    kind: Kind<AsoObject>,
    name: string,
  ): Promise<Frozen<AsoObject> | undefined> {
    return await orNotInstalled(kind, () => read(context, kind, name));
  }

  /** The same for a deletion: without the definitions of Azure Service Operator there is nothing to delete. */
  async findToDelete<T extends KubernetesObject>(
    context: Context<T>,
    kind: Kind<AsoObject>,
    name: string,
  ): Promise<Frozen<AsoObject> | undefined> {
    try {
      return await read(context, kind, name);
    } catch (error) {
      if (isNotServed(error)) return undefined;
      throw error;
    }
  }

  /** Applies an object that the reconciled one owns: with force, and only if something has changed since the last time. */
  async apply<T extends KubernetesObject>(
    context: Context<T>,
    kind: Kind<AsoObject>,
    { metadata, spec }: DesiredObject,
  ): Promise<AppliedObject<AsoObject>> {
    try {
      const applied = await orNotInstalled(kind, () => this.#owned.apply(context, kind, { metadata, spec }));
      if (!isManagedByCapz(applied.object)) return applied;
      return { ...applied, object: await takeOver(context, kind, applied.object) };
    } catch (error) {
      const hint = await unknownFieldHint(context.client, kind, error);
      if (hint !== undefined) throw terminal("UnknownField", hint, { cause: error });
      throw error;
    }
  }

  async #versionsOf(
    client: Context<KubernetesObject>["client"],
    kind: AsoKind,
  ): Promise<readonly ServedVersion[]> {
    const name = `${kind.plural}.${kind.group}`;
    const known = this.#definitions.get(name);
    const nowMs = this.#clock.monotonic();
    if (known && nowMs - known.atMs < DEFINITION_MS) return known.versions;
    const definition = await client.find(CustomResourceDefinition, { name });
    const versions =
      definition?.spec.versions ??
      [kind.version, ...kind.alsoServed].map((one) => ({ name: one, served: true }));
    this.#definitions.set(name, { versions, atMs: nowMs });
    return versions;
  }

  #inVersion(kind: AsoKind, version: string): Kind<AsoObject> {
    const apiVersion = `${kind.group}/${version}`;
    const key = `${apiVersion}/${kind.kind}`;
    const known = this.#kinds.get(key);
    if (known) return known;
    const { group, plural, namespaced, subresources } = kind;
    const made: Kind<AsoObject> = {
      group,
      version,
      apiVersion,
      kind: kind.kind,
      plural,
      namespaced,
      subresources,
    };
    this.#kinds.set(key, made);
    return made;
  }
}

async function read<T extends KubernetesObject>(
  context: Context<T>,
  kind: Kind<AsoObject>,
  name: string,
): Promise<Frozen<AsoObject> | undefined> {
  const { namespace } = context.object.metadata as { readonly namespace?: string };
  if (context.watch(kind)) return context.cache.get(kind, { name, namespace });
  return await context.client.find(kind, { name, namespace });
}

// The field manager of cluster-api-provider-azure.
const CAPZ_MANAGER = "capz-manager";

/** Whether CAPZ applied fields of the object before; the cache does not keep that, the answer to an apply has it. */
function isManagedByCapz({ metadata }: Frozen<AsoObject>): boolean {
  const entries: readonly unknown[] = metadata.managedFields ?? [];
  return entries.some(
    (entry) => isJsonObject(entry) && entry["manager"] === CAPZ_MANAGER && entry["operation"] === "Apply",
  );
}

/** Releases what CAPZ applied: what we have applied too stays and is ours alone, so that it goes when we leave it out. */
async function takeOver<T extends KubernetesObject>(
  { client }: Context<T>,
  kind: Kind<AsoObject>,
  { metadata: { name, namespace } }: Frozen<AsoObject>,
): Promise<Frozen<AsoObject>> {
  const target = { name, ...(namespace !== undefined && { namespace }) };
  const nothing = { metadata: target };
  return await client.patch(kind, target, {
    type: "apply",
    body: nothing,
    force: true,
    fieldManager: CAPZ_MANAGER,
  });
}

async function orNotInstalled<R>(kind: Kind, attempt: () => Promise<R>): Promise<R> {
  try {
    return await attempt();
  } catch (error) {
    if (!isNotServed(error)) throw error;
    const message = `The server does not serve ${kind.kind} (${kind.apiVersion}): install Azure Service Operator with its CRDs of ${kind.group}`;
    throw waiting("AzureServiceOperatorNotInstalled", message, NOT_INSTALLED_MS);
  }
}

/** Whether the reconciled object controls this one; any other object is its user's own and is only read. */
export function isControlledBy(object: Frozen<AsoObject>, owner: Frozen<KubernetesObject>): boolean {
  const controller = controllerOf(object);
  return (
    controller !== undefined &&
    controller.kind === owner.kind &&
    controller.name === owner.metadata.name &&
    groupOf(controller.apiVersion) === groupOf(owner.apiVersion)
  );
}

/** Whether Azure Service Operator has brought Azure to the current spec of an object. */
export function isAsoReady({ metadata, status }: Frozen<AsoObject>): boolean {
  const ready = getCondition(status?.conditions, "Ready") as
    | { status?: string; observedGeneration?: number }
    | undefined;
  return ready?.status === "True" && (ready.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Deletes an object that is not being deleted yet. */
export async function deleteAso<T extends KubernetesObject>(
  { client }: Context<T>,
  kind: Kind<AsoObject>,
  object: Frozen<AsoObject>,
): Promise<void> {
  if (object.metadata.deletionTimestamp === undefined) await deleteIfExists(client, kind, object.metadata);
}

/** The name of the Secret with which Azure Service Operator logs in for the resources of a cluster. */
export function asoSecretName(clusterName: string): string {
  return `${clusterName}-aso-secret`;
}
