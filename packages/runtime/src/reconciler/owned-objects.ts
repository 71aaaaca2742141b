import {
  controllerReferenceTo,
  type Frozen,
  type Kind,
  type KubernetesObject,
  type OwnerReference,
} from "@capstan/api";
import { kindId } from "../cache/kind-id.ts";
import { keyOf } from "../cache/store.ts";
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
}

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
   * them back: then a Failure of class Waiting names the field and the client.
   */
  async apply<T extends KubernetesObject>(
    { client, cache, env, object }: Owner,
    kind: Kind<T>,
    configuration: Configuration,
  ): Promise<Frozen<T>> {
    const owner = controllerReferenceTo(object as Frozen<KubernetesObject>);
    const { metadata } = configuration;
    const body = { ...configuration, metadata: { ...metadata, ownerReferences: [owner] } };
    const key = `${kindId(kind)} ${keyOf({ metadata })}`;
    const text = JSON.stringify(body);
    const last = this.#last.get(key);
    const cached = last?.text === text ? cache.get(kind, metadata) : undefined;
    if (cached && last && isAsApplied(cached, last, body.metadata)) return cached;
    const request = { name: metadata, configuration: body, observed: cached };
    await this.#contested.beforeApply({ client, clock: env.clock }, kind, request);
    const { name, namespace } = metadata;
    const target = { name, ...(namespace !== undefined && { namespace }) };
    const applied = await client.patch(kind, target, { type: "apply", body, force: true });
    const { resourceVersion: version, generation } = applied.metadata;
    this.#record(key, { text, version, generation });
    this.#contested.afterApply(kind, request, applied);
    return applied;
  }

  #record(key: string, application: Application): void {
    this.#last.delete(key);
    this.#last.set(key, application);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MOST_APPLICATIONS && oldest !== undefined) this.#last.delete(oldest);
  }
}

/** Whether an object still has what was applied to it. */
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
