import type { Env } from "@capstan/env";
import type { LineEffect } from "../faults/effect.ts";

const EXPIRED = {
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "Expired",
    code: 410,
    message: "too old resource version: a simulated compaction",
  },
};

/** The lines of a watch with their faults. The order stays. */
export async function* troubledLines(
  lines: AsyncIterable<unknown>,
  env: Env,
  troubleOf: () => LineEffect | undefined,
): AsyncGenerator {
  let wokeMs = -Infinity;
  for await (const line of lines) {
    const trouble = troubleOf();
    if (!trouble) {
      yield line;
      continue;
    }
    const { kind, forMs } = { forMs: 0, ...trouble };
    // Lines that arrive during one delay are not delayed again: else a busy watch would fall behind without limit.
    if (forMs > 0 && env.clock.monotonic() - wokeMs >= forMs) {
      await env.clock.sleep(forMs);
      wokeMs = env.clock.monotonic();
    }
    if (kind === "miss" || kind === "expire") {
      yield EXPIRED;
      return;
    }
    yield line;
    if (kind === "duplicate") yield line;
  }
}
