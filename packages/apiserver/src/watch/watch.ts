import type { Clock, Timer } from "@capstan/env";
import { type ApiError, expired } from "../http/status.ts";
import { inVersion, type Resource } from "../registry/registry.ts";
import type { Matcher } from "../selectors/field-selector.ts";
import { restamped } from "../storage/restamp.ts";
import {
  ExpiredError,
  type Storage,
  type StoredEvent,
  type StoredObject,
  type WatchLine,
} from "../storage/storage.ts";

/** The contents of a watch, and its duration. */
export interface WatchOptions {
  readonly resource: Resource;
  /** Only this namespace; all if absent. */
  readonly namespace?: string;
  readonly matches: Matcher | undefined;
  /** The existing objects, which are sent first as additions. */
  readonly initial: readonly StoredObject[];
  /** Send the changes after this version. */
  readonly since: number;
  /** Mark the end of the initial objects with a bookmark. */
  readonly announceInitialEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Calls back when the definition of the kind changes; the returned function cancels that. */
  readonly onRetired: (end: () => void) => () => void;
  /** The error of the request, if it is too late for an HTTP status: the only event. */
  readonly failure?: ApiError;
}

// Rare enough to cost nothing, and frequent enough that a client which reconnects finds its version in the history.
const BOOKMARK_INTERVAL_MS = 60_000;

// Shortly before a watch ends by itself, its client gets a bookmark with the current version.
const LAST_BOOKMARK_MS = 2000;

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * One watch: an iterator that reads the history of its resource at its own pace.
 *
 * It has no queue of its own. All watchers share the history as their buffer: one that falls so far behind that the
 * history has moved on ends with `410 Expired` and must list again.
 */
export class Watch implements AsyncIterableIterator<WatchLine> {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #options: WatchOptions;
  #version: number;
  #initialSent = 0;
  #initialEndDue: boolean;
  #bookmarkDue = false;
  #ended = false;
  /** The definition of the kind is removed or changed: earlier events are still sent. */
  #retired = false;
  #wake: (() => void) | undefined;
  #stopListening: (() => void) | undefined;
  #bookmarkTimer: Timer | undefined;
  #lastBookmark: Timer | undefined;
  readonly #timeout: Timer;
  readonly #stopUsing: () => void;
  readonly #onAbort = (): void => this.#end();

  constructor(storage: Storage, clock: Clock, options: WatchOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#options = options;
    this.#version = options.since;
    this.#initialEndDue = options.announceInitialEnd;
    this.#timeout = clock.timer(options.timeoutMs, () => this.#end());
    this.#stopUsing = options.onRetired(() => {
      this.#retired = true;
      this.#wakeUp();
    });
    if (options.bookmarks) {
      this.#armBookmark();
      this.#lastBookmark = clock.timer(options.timeoutMs - LAST_BOOKMARK_MS, () => this.#makeBookmarkDue());
    }
    if (options.signal?.aborted) this.#end();
    else options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchLine, undefined>> {
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      const line = this.#nextLine();
      if (line) return { done: false, value: line };
      if (this.#retired) this.#end();
      else await this.#change();
    }
  }

  /** What can be sent at once, without waiting. */
  *pending(): Generator<WatchLine> {
    while (!this.#ended) {
      const line = this.#nextLine();
      if (!line) return;
      yield line;
    }
  }

  async return(): Promise<IteratorResult<WatchLine, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  #nextLine(): WatchLine | undefined {
    const { failure } = this.#options;
    if (failure) return this.#fail(failure);
    try {
      return this.#initialLine() ?? this.#changeLine() ?? this.#bookmarkLine();
    } catch (error) {
      if (!(error instanceof ExpiredError)) throw error;
      return this.#fail(expired(`too old resource version: ${error.wanted} (${error.oldest})`));
    }
  }

  #initialLine(): WatchLine | undefined {
    const object = this.#options.initial[this.#initialSent];
    if (object) {
      this.#initialSent++;
      return { type: "ADDED", object: inVersion(this.#options.resource, object) };
    }
    if (!this.#initialEndDue) return undefined;
    this.#initialEndDue = false;
    return this.#bookmark({ annotations: { [INITIAL_EVENTS_END]: "true" } });
  }

  #changeLine(): WatchLine | undefined {
    for (;;) {
      const event = this.#storage.nextEvent(this.#options.resource.table, this.#version);
      if (!event) return undefined;
      this.#version = event.resourceVersion;
      const line = this.#lineFor(event);
      if (line) return line;
    }
  }

  /**
   * The event for this watcher; for a selector, an object that begins to match is an addition and one that ceases to
   * match a deletion.
   */
  #lineFor(event: StoredEvent): WatchLine | undefined {
    const { resource, namespace, matches } = this.#options;
    if (namespace !== undefined && event.namespace !== namespace) return undefined;
    const line = matches ? selectedLine(event, matches) : event.line;
    const isCurrent = event.resourceVersion > (resource.custom?.since ?? 0);
    if (!line || (isCurrent && resource.apiVersion === resource.kind.apiVersion)) return line;
    return { type: line.type, object: inVersion(resource, line.object as StoredObject) };
  }

  #bookmarkLine(): WatchLine | undefined {
    if (!this.#bookmarkDue) return undefined;
    this.#bookmarkDue = false;
    // Everything up to now has been read, including changes of other resources, which this watch does not send.
    this.#version = Math.max(this.#version, this.#storage.resourceVersion);
    return this.#bookmark({});
  }

  #bookmark(metadata: object): WatchLine {
    const { apiVersion, kind } = this.#options.resource;
    return {
      type: "BOOKMARK",
      object: {
        apiVersion,
        kind: kind.kind,
        metadata: { ...metadata, resourceVersion: String(this.#version) },
      },
    };
  }

  #fail(error: ApiError): WatchLine {
    this.#end();
    return { type: "ERROR", object: error.status };
  }

  #armBookmark(): void {
    this.#bookmarkTimer = this.#clock.timer(BOOKMARK_INTERVAL_MS, () => {
      this.#armBookmark();
      this.#makeBookmarkDue();
    });
  }

  #makeBookmarkDue(): void {
    this.#bookmarkDue = true;
    this.#wakeUp();
  }

  /** Resolves at the next commit, bookmark, timeout or abort. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#stopListening = this.#storage.onCommit(this.#options.resource.table, () => this.#wakeUp());
    });
  }

  #wakeUp(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#wake?.();
    this.#wake = undefined;
  }

  #end(): void {
    this.#ended = true;
    this.#timeout?.cancel();
    this.#bookmarkTimer?.cancel();
    this.#lastBookmark?.cancel();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#stopUsing();
    this.#wakeUp();
  }
}

function selectedLine(event: StoredEvent, matches: Matcher): WatchLine | undefined {
  const { object, previous, line } = event;
  const before = previous !== undefined && matches(previous);
  if (line.type === "DELETED") return before ? line : undefined;
  const now = matches(object);
  if (now)
    return before === (line.type === "MODIFIED") ? line : { type: before ? "MODIFIED" : "ADDED", object };
  // The last matching state, with the version of the change that ended the match.
  return before ? { type: "DELETED", object: restamped(previous, event.resourceVersion) } : undefined;
}
