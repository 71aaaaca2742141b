import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { Clock } from "@capstan/env";
import type { KubeBody } from "./body.ts";

/** One line of a watch. */
interface Change {
  readonly type: string;
  readonly object: KubeBody;
}

/** A watch that is being read. */
export interface WatchReader {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** The next change; fails when none comes in time or the stream has ended. */
  next(): Promise<Change>;
  /** The next change that is no bookmark, as its type and the name of its object. */
  step(): Promise<string>;
  /** All that is left, until the server ends the stream. */
  rest(): Promise<readonly Change[]>;
  close(): void;
}

// It only ends what hangs: a busy machine may be thirty times slower.
const PATIENCE_MS = 240_000;

/** Reads the lines of an answer as changes. */
export function openWatch(clock: Clock, response: IncomingMessage): WatchReader {
  const lines = createInterface({ input: response, crlfDelay: Infinity })[Symbol.asyncIterator]();
  // A stream that is closed in mid-line is how every watch of ours ends.
  response.on("error", () => undefined);
  const read = async (): Promise<Change | undefined> => {
    const { done, value } = await lines.next();
    return done === true ? undefined : (JSON.parse(value) as Change);
  };
  const next = async (): Promise<Change> => {
    const change = await inTime(clock, read());
    if (!change) throw new Error("the watch has ended");
    return change;
  };
  const step = async (): Promise<string> => {
    const { type, object } = await next();
    return type === "BOOKMARK" ? step() : `${type} ${object.metadata.name}`;
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    step,
    rest: async () => {
      const changes: Change[] = [];
      for (let change = await inTime(clock, read()); change; change = await inTime(clock, read()))
        changes.push(change);
      return changes;
    },
    close: () => response.destroy(),
  };
}

function inTime<T>(clock: Clock, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.timer(PATIENCE_MS, () =>
      reject(new Error(`the watch said nothing for ${PATIENCE_MS / 1000} s`)),
    );
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
