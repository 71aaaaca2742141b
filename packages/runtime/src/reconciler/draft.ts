import {
  applyMergePatch,
  type Condition,
  deepEqual,
  diffMergePatch,
  type Frozen,
  getCondition,
  type Kind,
  type KubernetesObject,
  setCondition,
} from "@capstan/api";
import type { Client } from "../client/client.ts";
import { Failure, isConflict, transient } from "../failure.ts";
import { CONDITION_LISTS } from "./condition-lists.ts";
import { type Editable, editableCopy } from "./editable.ts";

/** Our objects have their state under `status`. */
interface WithStatus {
  status?: Record<string, unknown>;
}

// Another client that writes the same status faster than this is a bug that must be visible.
const STATUS_ATTEMPTS = 5;

/**
 * An object on its way from the cache through a pass to the server: `object` is edited freely, then the difference to the
 * stored object is written with as few and as small patches as possible. Without a difference, nothing is written.
 */
export class Draft<T extends KubernetesObject> {
  readonly object: Editable<T>;
  readonly #kind: Kind<T>;
  readonly #client: Client;
  #stored: Frozen<T>;
  /** The version of edits besides the status: they are written on that version or not at all. */
  #editedVersion: string | undefined;
  #isRefused = false;

  constructor(kind: Kind<T>, client: Client, stored: Frozen<T>) {
    this.#kind = kind;
    this.#client = client;
    this.#stored = stored;
    this.#editedVersion = stored.metadata.resourceVersion;
    this.object = editableCopy<T>(stored);
  }

  /** Whether the server has sent a Retry-After: another write would be refused as well. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The object as last read from the server. */
  get stored(): Frozen<T> {
    return this.#stored;
  }

  /** Writes everything but the status, if changed. Fails with a Conflict when another client wrote since the read. */
  async persistObject(): Promise<void> {
    const patch = diffMergePatch(withoutStatus(this.#stored), withoutStatus(this.object as Frozen<T>));
    if (!patch) return;
    const body = {
      ...patch,
      metadata: { ...(patch["metadata"] as object | undefined), resourceVersion: this.#editedVersion },
    };
    const written = await this.#write({ type: "merge", body });
    this.#rebase(written);
    this.#editedVersion = written.metadata.resourceVersion;
  }

  /**
   * Writes the status, if changed. When another client wrote first, the changes are merged into the newest status: other
   * fields and other controllers' conditions stay. With `isStrict` it fails with a Conflict instead.
   */
  async persistStatus({ isStrict = false }: { readonly isStrict?: boolean } = {}): Promise<void> {
    const written = await this.#persistStatus(isStrict ? 1 : STATUS_ATTEMPTS);
    if (!written) return;
    this.#rebase(written);
    (this.object as WithStatus).status = editableCopy(statusOf(written));
  }

  /** The same for the end of a pass: the draft is not updated, because no phase reads it any more. */
  persistLastStatus(): Promise<Frozen<T> | undefined> {
    return this.#persistStatus(STATUS_ATTEMPTS);
  }

  async #persistStatus(attempts: number): Promise<Frozen<T> | undefined> {
    if (!this.#kind.subresources.includes("status")) return undefined;
    const change = statusChange(statusOf(this.#stored), statusOf(this.object));
    if (!change) return undefined;
    let base = this.#stored;
    for (let attempt = 1; ; attempt++) {
      const status = diffMergePatch(statusOf(base), layOver(statusOf(base), change));
      if (!status) break;
      try {
        const { resourceVersion } = base.metadata;
        const isUnchanged = resourceVersion === this.#editedVersion;
        const body = { metadata: { resourceVersion }, status };
        base = await this.#write({ type: "merge", subresource: "status", body });
        if (isUnchanged) this.#editedVersion = base.metadata.resourceVersion;
        break;
      } catch (error) {
        if (!isConflict(error) || attempt === attempts) throw error;
        base = await this.#client.get(this.#kind, this.#name());
        if (base.metadata.uid !== this.#stored.metadata.uid) throw this.#replaced();
      }
    }
    return base;
  }

  /** Drops all edits of the status: the server refuses them. */
  discardStatus(): void {
    (this.object as WithStatus).status = editableCopy(statusOf(this.#stored));
  }

  /** Adopts the server's newest version; pending edits stay on top of it. */
  #rebase(newest: Frozen<T>): void {
    const edits = diffMergePatch(withoutStatus(this.#stored), withoutStatus(this.object as Frozen<T>)) ?? {};
    Object.assign(this.object, editableCopy(applyMergePatch(withoutStatus(newest), edits)) as Fields);
    this.#stored = newest;
  }

  /** Without an error, a caller that writes an intent ahead would take it for written. */
  #replaced(): Failure {
    const { kind } = this.#kind;
    const { name, uid } = this.#stored.metadata;
    const message = `${kind} ${name} with the UID ${uid} is gone; another object has its name now`;
    return new Failure("NotFound", "ObjectReplaced", { message });
  }

  async #write(patch: Parameters<Client["patch"]>[2]): Promise<Frozen<T>> {
    try {
      return await this.#client.patch(this.#kind, this.#name(), patch);
    } catch (error) {
      this.#isRefused ||= error instanceof Failure && error.retryAfterMs !== undefined;
      throw patch.subresource === "status" ? statusRefusal(error) : error;
    }
  }

  #name(): { name: string; namespace?: string } {
    const { name, namespace } = this.#stored.metadata;
    return namespace === undefined ? { name } : { name, namespace };
  }
}

const STATUS_REFUSED = "StatusRefused";

/** A user cannot correct a status, so its refusal is never Terminal: the next pass may derive a status that is accepted. */
function statusRefusal(error: unknown): unknown {
  if (!(error instanceof Failure) || error.failure !== "Terminal") return error;
  return transient(STATUS_REFUSED, `The API server refuses the status: ${error.message}`, { cause: error });
}

/** Whether the server refused the content of a status. */
export function isStatusRefused(error: unknown): boolean {
  return error instanceof Failure && error.reason === STATUS_REFUSED;
}

type Fields = Readonly<Record<string, unknown>>;

/** The changes of a pass in a status: fields as a merge patch, conditions one by one. */
interface StatusChange {
  readonly fields: Fields;
  readonly lists: readonly ListChange[];
}

/** The changes of a pass in a list of conditions. */
interface ListChange {
  readonly path: readonly string[];
  readonly set: readonly Condition[];
  readonly removed: readonly string[];
}

function statusChange(before: Fields, after: Fields): StatusChange | undefined {
  const lists = CONDITION_LISTS.flatMap((path) => listChange(path, before, after));
  const patch = diffMergePatch(withoutLists(before), withoutLists(after));
  return patch || lists.length > 0 ? { fields: patch ?? {}, lists } : undefined;
}

function listChange(path: readonly string[], before: Fields, after: Fields): ListChange[] {
  const [old, current] = [listAt(before, path), listAt(after, path)];
  if (old === current) return [];
  const set = current.filter((condition) => !deepEqual(getCondition(old, condition.type), condition));
  const removed = old.map(({ type }) => type).filter((type) => !getCondition(current, type));
  return set.length > 0 || removed.length > 0 ? [{ path, set, removed }] : [];
}

function layOver(status: Fields, { fields, lists }: StatusChange): Fields {
  return lists.reduce<Fields>(
    (merged, { path, set, removed }) => {
      const kept = listAt(merged, path).filter(({ type }) => !removed.includes(type));
      return withValue(merged, path, set.reduce<readonly Condition[]>(setCondition, kept));
    },
    applyMergePatch(status, fields) as Fields,
  );
}

const NONE: readonly Condition[] = [];

function listAt(status: Fields, path: readonly string[]): readonly Condition[] {
  const list = path.reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], status);
  return Array.isArray(list) ? (list as readonly Condition[]) : NONE;
}

function withoutLists(status: Fields): Fields {
  return CONDITION_LISTS.reduce(
    (rest, path) => (listAt(rest, path) === NONE ? rest : withValue(rest, path, undefined)),
    status,
  );
}

/** A copy of an object with another value at a path, or without it. */
function withValue(object: Fields, [name = "", ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length > 0) return { ...object, [name]: withValue((object[name] ?? {}) as Fields, rest, value) };
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...others, [name]: value };
}

function statusOf(object: object): Fields {
  return (object as WithStatus).status ?? {};
}

function withoutStatus<T extends KubernetesObject>(object: Frozen<T>): Fields {
  const { status: _, ...rest } = object as Fields;
  return rest;
}
