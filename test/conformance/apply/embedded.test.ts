import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, withClock } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { definitionsOf } from "./definitions.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";
import { sequencesOf, TOPICS } from "./recording.ts";
import { replay, type Replayed } from "./replay.ts";

describe.each(TOPICS)("the embedded server answers as kube-apiserver did: %s", (topic) => {
  const sequences = sequencesOf(topic).filter(({ id }) => KNOWN_DIFFERENCES[id]?.isSkipped !== true);
  test.each(sequences.map((sequence) => [sequence.title, sequence] as const))("%s", async (_, sequence) => {
    const { steps = [], onlyManagers = false } = KNOWN_DIFFERENCES[sequence.id] ?? {};
    const server = startServer();
    const differences = await replay(sequence, server, { onlyManagers, ...definitionsOf(sequence) });
    const unknown = differences.filter(({ step }) => !steps.includes(step));
    expect(unknown.map(({ step, problem }) => `step ${step}: ${problem}`).join("\n\n")).toBe("");
    expect(differences.map(({ step }) => step)).toEqual(steps);
  });
});

/** A server whose clock only moves when it is told to. */
function startServer(): Replayed {
  const env = createRealEnv();
  const { clock } = env;
  let nowMs = Date.UTC(2026, 0, 1);
  const stepped = {
    now: () => nowMs,
    monotonic: () => clock.monotonic(),
    timer: (delayMs: number, callback: () => void) => clock.timer(delayMs, callback),
    sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs, signal),
  };
  const server = createApiServer({ env: withClock(env, stepped), kinds: builtInKinds });
  return { send: server.handle, pause: () => void (nowMs += 2000) };
}
