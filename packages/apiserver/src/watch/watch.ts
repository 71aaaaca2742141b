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

/** What a watch sends, and for how long. */
export interface WatchOptions {
  readonly resource: Resource;
  /** Only this namespace; all when absent. */
  readonly namespace?: string;
  readonly matches: Matcher | undefined;
  /** Objects to begin with, as additions. */
  readonly initial: readonly StoredObject[];
  /** Send the changes after this version. */
  readonly since: number;
  /** Mark the end of the initial objects with a bookmark. */
  readonly announceInitialEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Calls back when the kind is no longer served as it was; the result takes that back. */
  readonly onRetired: (end: () => void) => () => void;
  /** What is wrong with the request, when it is too late for an HTTP status: the only thing that is sent. */
  readonly failure?: ApiError;
}

// Long enough to cost nothing, short enough that a client which comes back finds its version in the history.
const BOOKMARK_INTERVAL_MS = 60_000;

// A client whose watch ends by itself is told shortly before how far it has come.
const LAST_BOOKMARK_MS = 2000;

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * One watch: an iterator that reads the history of its resource at its own pace.
 *
 * It keeps no queue of its own. The history is the buffer of all watchers together: one that
 * falls so far behind that the history has moved on ends with `410 Expired` and has to list again.
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
  /** The definition of the kind has gone or changed: what happened before is still sent. */
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

  /** What can be sent at once, without waiting for anything. */
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

  /** What this watcher is told of a change; for a selector, coming into view is an addition and leaving a deletion. */
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
    // Everything up to now has been read, also the changes of other resources that this watch does not show.
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
  // The last state that was in view, under the version of the change that took it out.
  return before ? { type: "DELETED", object: restamped(previous, event.resourceVersion) } : undefined;
}
