import { Event, formatTimestamp, type Frozen, type KubernetesObject } from "@capstan/api";
import type { Env } from "@capstan/env";
import { shortHash } from "../short-hash.ts";
import type { Client } from "../client/client.ts";
import { isAlreadyExists } from "../failure.ts";
import type { Logger } from "../log/logger.ts";

/** A message for users on an object. `reason` is a CamelCase verb phrase, `message` a sentence. */
export interface EventNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Writes Events in the background. */
export interface EventRecorder {
  record(object: Frozen<KubernetesObject>, note: EventNote): void;
  /** Resolves when all recorded events have been written or dropped. */
  flush(): Promise<void>;
}

export interface RecorderOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  /** The source of the events. */
  readonly component: string;
}

// As in Karpenter: the same event about the same object is written once in two minutes.
const SAME_EVENT_MS = 2 * 60_000;
// A storm of distinct events must not grow without limit; dropped events are logged.
const QUEUE_LIMIT = 1000;
// The limit of a DNS subdomain, and so of a name in Kubernetes.
const NAME_LIMIT = 253;
const ID_LENGTH = 16;

/** Creates a recorder. Events with the same content have the same name, so a repeat, even after a crash, is counted. */
export function createEventRecorder(options: RecorderOptions): EventRecorder {
  const { env, log } = options;
  const lastMs = new Map<string, number>();
  let waiting = 0;
  let tail: Promise<void> = Promise.resolve();
  const isRepeat = (id: string): boolean => {
    const nowMs = env.clock.monotonic();
    const before = lastMs.get(id);
    if (before !== undefined && nowMs - before < SAME_EVENT_MS) return true;
    for (const [old, atMs] of lastMs) {
      if (nowMs - atMs < SAME_EVENT_MS) break;
      lastMs.delete(old);
    }
    // Deleting first keeps the map ordered by time, so that the sweep above ends at the first recent entry.
    lastMs.delete(id);
    lastMs.set(id, nowMs);
    return false;
  };
  return {
    record: (object, note) => {
      const id = eventId(object, note);
      if (isRepeat(id)) return;
      if (waiting >= QUEUE_LIMIT) {
        log.warn("Dropping an event, too many are waiting", { reason: note.reason });
        return;
      }
      waiting++;
      tail = tail
        .then(() => write(options, { object, note, id }))
        .catch((error: unknown) => log.warn("Event could not be written", { reason: note.reason, error }))
        .finally(() => {
          waiting--;
        });
    },
    flush: () => tail,
  };
}

interface Entry {
  readonly object: Frozen<KubernetesObject>;
  readonly note: EventNote;
  readonly id: string;
}

async function write(
  { client, env, component }: RecorderOptions,
  { object, note, id }: Entry,
): Promise<void> {
  const { name, uid = "", resourceVersion = "" } = object.metadata;
  // Events about cluster-scoped objects are in `default`, where kubectl describe looks for them.
  const { namespace = "default" } = object.metadata;
  const timestamp = formatTimestamp(env.clock.now());
  const eventName = { name: `${shortened(name)}.${id}`, namespace };
  try {
    await client.create(Event, {
      metadata: eventName,
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        ...(object.metadata.namespace !== undefined && { namespace }),
        uid,
        resourceVersion,
      },
      ...note,
      source: { component },
      reportingComponent: component,
      reportingInstance: component,
      firstTimestamp: timestamp,
      lastTimestamp: timestamp,
      count: 1,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const known = await client.get(Event, eventName);
    const body = { count: (known.count ?? 1) + 1, lastTimestamp: timestamp };
    await client.patch(Event, eventName, { type: "merge", body });
  }
}

/** The part of a name that fits before a dot and an id; it must not end with a dash or a dot. */
function shortened(name: string): string {
  return name.slice(0, NAME_LIMIT - 1 - ID_LENGTH).replace(/[-.]+$/, "");
}

function eventId(object: Frozen<KubernetesObject>, { type, reason, message }: EventNote): string {
  const identity = [object.metadata.uid ?? object.metadata.name, type, reason, message].join("\u0000");
  return shortHash(identity, ID_LENGTH);
}
