import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import type { Env, Rng } from "@capstan/env";
import { type BackoffLimits, backoffMs } from "../backoff.ts";
import { type Client, type ListOptions, readPages, type WatchEvent } from "../client/client.ts";
import { Failure, isExpired, isNotServed, transient } from "../failure.ts";
import type { Logger } from "../log/logger.ts";

/** The target of a reflector. */
export interface Sink<T extends KubernetesObject> {
  /** The newest version seen, or undefined before the first list. */
  readonly version: string | undefined;
  replace(items: readonly Frozen<T>[], version: string): void;
  /** The server does not serve the kind: the objects in the sink may be gone. */
  invalidate(): void;
  apply(event: WatchEvent<T>): void;
  /** A list failed. */
  fail(error: unknown): void;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly client: Client;
  readonly env: Env;
  readonly kind: Kind<T>;
  readonly scope: ListOptions;
  readonly sink: Sink<T>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The server may never serve the kind; that is not a failure. */
  readonly isOptional?: boolean;
}

// The server sends a bookmark about once a minute; three minutes without any mean a dead connection, or several.
const SILENCE_LIMIT_MS = 3 * 60_000;
const SILENCE = "WatchSilent";
// As in client-go: watches end after 5 to 10 minutes, so that servers can shed load.
const WATCH_SECONDS_LEAST = 300;
const BACKOFF: BackoffLimits = { firstMs: 500, longestMs: 30_000 };
// A watch that lived longer than this was healthy, and its end is not a failure.
const HEALTHY_WATCH_MS = 10_000;

/**
 * Keeps a sink equal to the server: lists page by page, then watches from there, forever. No error ends it. An expired
 * version and a long silence lead to a new list, every other error to a new watch from the last version seen, after a
 * pause that grows while nothing works.
 */
export async function reflect<T extends KubernetesObject>(options: ReflectorOptions<T>): Promise<void> {
  const pause = createBackoff(options.env, `reflector/${options.kind.plural}`);
  const { kind, log, signal, sink } = options;
  let isAnnounced = false;
  while (!signal.aborted) {
    try {
      await relist(options);
      isAnnounced = false;
      await follow(options, pause);
    } catch (error) {
      if (signal.aborted) return;
      const isMissing = isAbsent(options, error);
      if (isMissing) sink.invalidate();
      else sink.fail(error);
      // A kind may stay absent for months: that is logged once.
      if (!isMissing) log.warn("Listing failed, trying again", { kind: kind.kind, error });
      else if (!isAnnounced) log.info("Waiting for the CustomResourceDefinition", { kind: kind.kind });
      isAnnounced = isMissing;
      await pause.wait(signal);
    }
  }
}

function isAbsent<T extends KubernetesObject>({ isOptional }: ReflectorOptions<T>, error: unknown): boolean {
  return isOptional === true && isNotServed(error);
}

/** Reads the current state once and passes it to the sink. */
export async function relist<T extends KubernetesObject>(
  options: Omit<ReflectorOptions<T>, "signal">,
): Promise<void> {
  const { client, kind, scope, sink } = options;
  const { items, resourceVersion } = await readPages(client, kind, scope);
  sink.replace(items, resourceVersion);
}

/** Watches from the sink's version, over as many connections as it takes; returns when a new list is needed. */
async function follow<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  pause: Backoff,
): Promise<void> {
  const { env, kind, log, signal } = options;
  const heard: Heard = { atMs: env.clock.monotonic() };
  while (!signal.aborted) {
    const startedMs = env.clock.monotonic();
    let needsList = false;
    try {
      await watchOnce(options, heard);
    } catch (error) {
      if (signal.aborted) return;
      needsList = isExpired(error) || isSilence(error) || isAbsent(options, error);
      log.info("Watch ended", { kind: kind.kind, next: needsList ? "list" : "watch", error });
    }
    // Only a watch that lived resets the backoff, a list does not: otherwise lists that succeed beside watches that always
    // fail would loop without a pause.
    if (env.clock.monotonic() - startedMs > HEALTHY_WATCH_MS) pause.reset();
    else await pause.wait(signal);
    // Watches that all end before any event must not prevent the list that would show the missed changes.
    if (needsList || silenceLeftMs(env, heard) <= 0) return;
  }
}

async function watchOnce<T extends KubernetesObject>(
  { client, env, kind, scope, sink, signal }: ReflectorOptions<T>,
  heard: Heard,
): Promise<void> {
  const silence = watchSilence(env, heard);
  const timeoutSeconds = Math.round(WATCH_SECONDS_LEAST * (1 + env.rng(`watch/${kind.plural}`).next()));
  const connection = AbortSignal.any([signal, silence.signal]);
  try {
    const resourceVersion = sink.version ?? "0";
    for await (const event of client.watch(kind, {
      ...scope,
      resourceVersion,
      timeoutSeconds,
      signal: connection,
    })) {
      heard.atMs = env.clock.monotonic();
      sink.apply(event);
    }
  } finally {
    silence.end();
  }
}

/**
 * A new watch would cure a dead connection. But a server that was restored from a backup also sends nothing until it has
 * reached the requested version: only a list shows that.
 */
function isSilence(error: unknown): boolean {
  return error instanceof Failure && error.reason === SILENCE;
}

/** When, monotonic, the last list, event or bookmark arrived. */
interface Heard {
  atMs: number;
}

function silenceLeftMs({ clock }: Env, { atMs }: Heard): number {
  return atMs + SILENCE_LIMIT_MS - clock.monotonic();
}

/** Aborts its signal after a long silence. One timer serves any number of events. */
function watchSilence(env: Env, heard: Heard): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const check = (): void => {
    const leftMs = silenceLeftMs(env, heard);
    if (leftMs <= 0)
      controller.abort(transient(SILENCE, "the server sent no event or bookmark for three minutes"));
    else timer = env.clock.timer(leftMs, check);
  };
  let timer = env.clock.timer(silenceLeftMs(env, heard), check);
  return { signal: controller.signal, end: () => timer.cancel() };
}

interface Backoff {
  wait(signal: AbortSignal): Promise<void>;
  reset(): void;
}

function createBackoff(env: Env, stream: string): Backoff {
  const rng: Rng = env.rng(stream);
  let failures = 0;
  return {
    wait: async (signal) => {
      const pauseMs = backoffMs(failures, BACKOFF, rng);
      failures++;
      try {
        await env.clock.sleep(pauseMs, signal);
      } catch {
        // Aborted: the caller checks the signal itself.
      }
    },
    reset: () => {
      failures = 0;
    },
  };
}
