import {
  type Frozen,
  includes,
  type Kind,
  type KubernetesObject,
  managersOf,
  missingFields,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { compareVersions } from "../cache/resource-version.ts";
import { kindId } from "../cache/kind-id.ts";
import { keyOf } from "../cache/store.ts";
import type { Client } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import { Failure, waiting } from "../failure.ts";
import { shortHash } from "../short-hash.ts";
import { afterReverts, type Contest, type ContestVerdict, heldFor, NO_CONTEST } from "./contest.ts";

/** The reason of the failure while another client keeps changing a field back. */
export const FIELD_CONTESTED = "FieldContested";

/** A configuration that is applied by force, and the object as the cache shows it. */
export interface ForcedApply<T extends KubernetesObject> {
  readonly name: ObjectName;
  /** The configuration without the resourceVersion. */
  readonly configuration: unknown;
  readonly observed: Frozen<T> | undefined;
}

interface Applied {
  /** Identifies the configuration: another one is a change of ours, and ends the contest. */
  readonly hash: string;
  /** The version that the server answered with. */
  readonly version: string;
  /** Fields that the server itself did not keep as they were sent. */
  readonly unkept: ReadonlySet<string>;
  /** The version of the last revert that was counted. */
  readonly countedVersion?: string;
  readonly contest: Contest;
}

// As many as objects that one controller applies; an entry has some hundred bytes.
const MOST_OBJECTS = 50_000;

/**
 * Ends endless fights: what another client changes back again and again is applied less and less often, and a failure names
 * the field and the client. It only remembers objects in this process: after a restart a fight begins to count anew.
 */
export class ContestedFields {
  readonly #applied = new Map<string, Applied>();

  /** Call before an apply. Throws a Failure of class Waiting while a field of the object is contested. */
  async beforeApply<T extends KubernetesObject>(
    { client, clock }: { readonly client: Client; readonly clock: Clock },
    kind: Kind<T>,
    apply: ForcedApply<T>,
  ): Promise<void> {
    const key = keyFor(kind, apply.name);
    const known = this.#applied.get(key);
    if (known?.hash !== hashOf(apply.configuration)) return;
    const held = heldFor(known.contest, clock.monotonic());
    if (held) throw contested(kind, apply.name, held);
    const seen = isRevert(known, apply) ? await revertsIn(client, kind, { apply, known }) : [];
    if (seen.length === 0) return;
    const { contest, verdict } = afterReverts(known.contest, seen, clock.monotonic());
    const countedVersion = apply.observed?.metadata.resourceVersion ?? "";
    this.#applied.set(key, { ...known, contest, countedVersion });
    if (verdict.do === "wait") throw contested(kind, apply.name, verdict);
  }

  /** Call after an apply, with the answer of the server. */
  afterApply<T extends KubernetesObject>(
    kind: Kind<T>,
    { name, configuration }: Pick<ForcedApply<T>, "name" | "configuration">,
    answer: Frozen<T>,
  ): void {
    const key = keyFor(kind, name);
    const before = this.#applied.get(key);
    const hash = hashOf(configuration);
    const unkept = new Set(missingFields(answer, configuration).map((path) => path.join(".")));
    const version = answer.metadata.resourceVersion ?? "";
    const same = before?.hash === hash ? before : undefined;
    this.#applied.delete(key);
    this.#applied.set(key, { contest: NO_CONTEST, ...same, hash, version, unkept });
    const [oldest] = this.#applied.keys();
    if (this.#applied.size > MOST_OBJECTS && oldest !== undefined) this.#applied.delete(oldest);
  }
}

function keyFor(kind: Kind, name: ObjectName): string {
  return `${kindId(kind)} ${keyOf({ metadata: name })}`;
}

function hashOf(configuration: unknown): string {
  return shortHash(JSON.stringify(configuration));
}

/** Whether the object was changed after our last apply; a cache that is behind shows older states. Each state counts once. */
function isRevert(
  { version, countedVersion }: Applied,
  { observed }: Pick<ForcedApply<KubernetesObject>, "observed">,
): boolean {
  const { resourceVersion = "" } = observed?.metadata ?? {};
  return compareVersions(resourceVersion, version) > 0 && resourceVersion !== countedVersion;
}

interface RevertedApply<T extends KubernetesObject> {
  readonly apply: ForcedApply<T>;
  readonly known: Applied;
}

/** The fields that differ from the configuration, and who owns them: the cache does not keep field managers. */
async function revertsIn<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
  { apply: { name, configuration, observed }, known }: RevertedApply<T>,
): Promise<readonly { readonly field: string; readonly manager: string }[]> {
  if (includes(observed, configuration)) return [];
  const live = await findQuietly(client, kind, name);
  if (!live) return [];
  return missingFields(live, configuration)
    .map((path) => ({ path, field: path.join(".") }))
    .filter(({ field }) => !known.unkept.has(field))
    .map(({ path, field }) => ({ field, manager: managersOf(live, path)[0] ?? "another client" }));
}

/** Without permission to read the object nothing is counted. */
async function findQuietly<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
  name: ObjectName,
): Promise<Frozen<T> | undefined> {
  try {
    return await client.find(kind, name);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function contested(
  { kind }: Kind,
  { name }: ObjectName,
  { field, manager, waitMs }: Extract<ContestVerdict, { readonly do: "wait" }>,
): Failure {
  const message = `Field manager ${manager} keeps changing ${field} of ${kind} ${name} back; it is applied again after some minutes. Remove the field there, or from the manifest of its owner`;
  return waiting(FIELD_CONTESTED, message, waitMs);
}
