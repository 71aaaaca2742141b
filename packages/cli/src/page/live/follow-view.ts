import type { Message, Row, ViewState } from "@capstan/page";
import type { Env } from "@capstan/env";
import { isReadableJson, readableText } from "./readable-text.ts";
import type { LiveObjects, ObjectChange } from "./live-objects.ts";

/** What a stream shows: it is told of each change, and read when one was about it. */
export interface LiveView {
  /** Notes a change; whether the view is about it. */
  readonly note: (change: ObjectChange) => boolean;
  readonly read: () => Promise<ViewState> | ViewState;
  /** Views with ages of their own, or with objects that are not watched, are read again after so long. */
  readonly refreshMs?: number;
}

interface FollowOptions {
  readonly env: Env;
  readonly live: LiveObjects;
  /** The time of the cluster. */
  readonly now: () => number;
  readonly view: LiveView;
  /** Aborted when the browser has gone. */
  readonly signal: AbortSignal;
}

// Changes come in bursts; people see no difference below a tenth of a second.
const SHORTEST_PAUSE_MS = 80;
// A view may take a fifth of a core at most: an expensive one is read less often.
const PAUSE_PER_READING = 4;
// The first reading of a large view takes longer than all others.
const LONGEST_PAUSE_MS = 1_000;
// Browsers and people learn from silence that the connection is lost.
const HEARTBEAT_MS = 5_000;

/**
 * A view as messages: a snapshot, then the rows that differ. The consumer asks for the next message when it can take it, so a
 * slow browser gets fewer and larger ones, and nothing is queued.
 */
export async function* followView(options: FollowOptions): AsyncGenerator<string> {
  const { env, live, now, view, signal } = options;
  const news = new News(env, signal);
  const stop = live.onChange((change) => {
    if (view.note(change)) news.announce();
  });
  const sent = new SentView();
  try {
    let refreshAtMs = 0;
    while (!signal.aborted) {
      const beganMs = env.clock.monotonic();
      const isDue = news.take() || beganMs >= refreshAtMs;
      if (isDue) refreshAtMs = beganMs + (view.refreshMs ?? Number.POSITIVE_INFINITY);
      const text = eventOf(isDue ? await messageOf(view, sent, now) : { type: "time", nowMs: now() });
      // Only the reading counts, not how long the browser takes to fetch the message.
      const tookMs = env.clock.monotonic() - beganMs;
      yield text;
      await news.pause(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, PAUSE_PER_READING * tookMs)));
      await news.wait(HEARTBEAT_MS);
    }
  } finally {
    stop();
  }
}

async function messageOf(view: LiveView, sent: SentView, now: () => number): Promise<Message> {
  try {
    const state = await view.read();
    return sent.next(state, now());
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { type: "problem", nowMs: now(), text, isFirst: sent.isEmpty };
  }
}

// Looking at each text of 10,000 rows takes a tenth of a second; none of those is as long as the YAML of an object.
const MANY_ROWS = 100;

/** Texts come from clusters, so all of them are made readable in one place. */
function eventOf(message: Message): string {
  const isLarge = "rows" in message && message.rows.length > MANY_ROWS;
  const plain = isLarge ? JSON.stringify(message) : undefined;
  return `data: ${plain !== undefined && isReadableJson(plain) ? plain : readableJson(message)}\n\n`;
}

function readableJson(message: Message): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === "string" ? readableText(value) : value,
  );
}

/** What a browser has of a view. */
class SentView {
  #head: string | undefined;
  readonly #rows = new Map<string, Row>();

  /** Whether nothing was sent yet. */
  get isEmpty(): boolean {
    return this.#head === undefined;
  }

  /** The message that brings the browser to a state. */
  next({ head, rows }: ViewState, nowMs: number): Message {
    const isFirst = this.isEmpty;
    const headText = JSON.stringify(head);
    const hasNewHead = headText !== this.#head;
    this.#head = headText;
    const changed = rows.filter((row) => this.#takes(row));
    const keys = new Set(rows.map(({ key }) => key));
    const gone = [...this.#rows.keys()].filter((key) => !keys.has(key));
    for (const key of gone) this.#rows.delete(key);
    if (isFirst) return { type: "snapshot", nowMs, head, rows };
    if (!hasNewHead && changed.length + gone.length === 0) return { type: "time", nowMs };
    return { type: "change", nowMs, ...(hasNewHead && { head }), rows: changed, gone };
  }

  /** Whether the row differs from the one that was sent. A view returns the same object for a row that it did not read again. */
  #takes(row: Row): boolean {
    const before = this.#rows.get(row.key);
    if (before === row) return false;
    this.#rows.set(row.key, row);
    return before === undefined || JSON.stringify(before) !== JSON.stringify(row);
  }
}

/** Whether something has happened since it was asked last. */
class News {
  readonly #env: Env;
  readonly #signal: AbortSignal;
  #hasNews = true;
  #wake: (() => void) | undefined;

  constructor(env: Env, signal: AbortSignal) {
    this.#env = env;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
  }

  announce(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  take(): boolean {
    const had = this.#hasNews;
    this.#hasNews = false;
    return had;
  }

  /** Waits, whatever happens. */
  async pause(delayMs: number): Promise<void> {
    try {
      await this.#env.clock.sleep(delayMs, this.#signal);
    } catch {
      // The browser has gone: the caller looks at the signal.
    }
  }

  /** Waits for news, but not longer. */
  async wait(limitMs: number): Promise<void> {
    if (this.#hasNews || this.#signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = this.#env.clock.timer(limitMs, resolve);
    await promise;
    timer.cancel();
    this.#wake = undefined;
  }
}
