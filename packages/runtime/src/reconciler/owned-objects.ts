import {
  controllerReferenceTo,
  type Frozen,
  type Kind,
  type KubernetesObject,
  missingFields,
  type OwnerReference,
  valueAt,
} from "@capstan/api";
import { kindId } from "../cache/kind-id.ts";
import { keyOf } from "../cache/store.ts";
import type { Client } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import { ContestedFields } from "./contested-fields.ts";
import type { Context } from "./reconciler.ts";

/** An object to apply: every field that the controller wants to own, and no other. */
export interface Configuration {
  readonly metadata: ObjectName & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

type Owner = Pick<Context<KubernetesObject>, "client" | "cache" | "env"> & { readonly object: unknown };

interface Application {
  /** What was applied, as text. */
  readonly text: string;
  /** The version that the server answered with. */
  readonly version: string | undefined;
  /** The generation that it answered with; kinds without a spec have none. */
  readonly generation: number | undefined;
  /** The fields that the server did not keep as they were applied. */
  readonly unkept: readonly string[];
  readonly atMs: number;
}

/** An object after its apply. */
export interface AppliedObject<T extends KubernetesObject> {
  readonly object: Frozen<T>;
  /** The fields of the configuration that the object does not have, even after a second apply. */
  readonly unkept: readonly string[];
}

// A field that the server does not keep is tried again after each change of the object, and at this interval: the conversion
// between versions may have been corrected.
const UNKEPT_RETRY_MS = 10 * 60_000;
// More owned objects than one controller of a fleet of 30,000 machines has; each entry has about a kilobyte.
const MOST_APPLICATIONS = 50_000;

/**
 * Applies the objects that reconciled objects own, by server-side apply: a field that the configuration no longer has is
 * removed, and fields of users stay. An object that has not changed since the last apply of the same configuration, other
 * than in its status and in metadata of other clients, is not sent again. After a restart each is sent once, which changes nothing on the server.
 */
export class OwnedObjects {
  readonly #last = new Map<string, Application>();
  readonly #contested = new ContestedFields();

  /**
   * Applies one object, owned by the reconciled one. Fields that another client owns are taken over, unless it keeps changing
   * them back: then a Failure of class Waiting names the field and the client. Each call compares the object in the version of
   * the kind with the configuration: a write in another version may have lost fields that only this one has.
   */
  async apply<T extends KubernetesObject>(
    { client, cache, env, object }: Owner,
    kind: Kind<T>,
    configuration: Configuration,
  ): Promise<AppliedObject<T>> {
    const owner = controllerReferenceTo(object as Frozen<KubernetesObject>);
    const { metadata } = configuration;
    const body = { ...configuration, metadata: { ...metadata, ownerReferences: [owner] } };
    const key = `${kindId(kind)} ${keyOf({ metadata })}`;
    const text = JSON.stringify(body);
    const last = this.#last.get(key);
    const cached = last?.text === text ? cache.get(kind, metadata) : undefined;
    const nowMs = env.clock.monotonic();
    if (cached && last && isAsApplied(cached, last, body.metadata) && isKept(cached, last, { body, nowMs }))
      return { object: cached, unkept: last.unkept };
    const request = { name: metadata, configuration: body, observed: cached };
    await this.#contested.beforeApply({ client, clock: env.clock }, kind, request);
    const { object: applied, unkept } = await applyUntilKept(client, kind, { metadata, body });
    const { resourceVersion: version, generation } = applied.metadata;
    this.#record(key, { text, version, generation, unkept, atMs: nowMs });
    this.#contested.afterApply(kind, request, applied);
    return { object: applied, unkept };
  }

  #record(key: string, application: Application): void {
    this.#last.delete(key);
    this.#last.set(key, application);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MOST_APPLICATIONS && oldest !== undefined) this.#last.delete(oldest);
  }
}

/**
 * The first apply in another version goes through the version of the last one, and loses fields that only the new one has;
 * the same apply again keeps them.
 */
async function applyUntilKept<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
  { metadata: { name, namespace }, body }: { readonly metadata: ObjectName; readonly body: object },
): Promise<AppliedObject<T>> {
  const target = { name, ...(namespace !== undefined && { namespace }) };
  const apply = (): Promise<Frozen<T>> => client.patch(kind, target, { type: "apply", body, force: true });
  const first = await apply();
  if (unkeptIn(first, body).length === 0) return { object: first, unkept: [] };
  const object = await apply();
  return { object, unkept: unkeptIn(object, body) };
}

/** The fields of a configuration that an object does not have. An empty list says as much as none. */
function unkeptIn(object: unknown, body: object): readonly string[] {
  return missingFields(object, body)
    .filter((path) => !isEmptyList(valueAt(body, path)))
    .map((path) => path.join("."));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Whether an object has lost nothing since its apply. */
function isKept(
  object: Frozen<KubernetesObject>,
  { unkept, atMs, version }: Application,
  { body, nowMs }: { readonly body: object; readonly nowMs: number },
): boolean {
  const isUnchanged = object.metadata.resourceVersion === version;
  if (unkept.length > 0 && (!isUnchanged || nowMs - atMs >= UNKEPT_RETRY_MS)) return false;
  return unkeptIn(object, body).every((field) => unkept.includes(field));
}

/** Whether no other client has changed what was applied to an object. */
function isAsApplied(
  { metadata }: Frozen<KubernetesObject>,
  last: Application,
  applied: Configuration["metadata"] & { readonly ownerReferences: readonly OwnerReference[] },
): boolean {
  if (metadata.resourceVersion === last.version) return true;
  if (last.generation === undefined || metadata.generation !== last.generation) return false;
  const { labels, annotations, ownerReferences } = applied;
  return (
    contains(metadata.labels, labels) &&
    contains(metadata.annotations, annotations) &&
    ownerReferences.every(({ uid }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
  );
}

function contains(
  all: Readonly<Record<string, string>> = {},
  some: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(some).every(([name, value]) => all[name] === value);
}
