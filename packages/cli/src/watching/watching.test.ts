import { createRealEnv } from "@capstan/env";
import { transient } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { testShell, type TestShell } from "../shell.fixture.ts";
import { draw } from "./draw.ts";
import { type WatchedAnswer, watchAnswer } from "./watch-answer.ts";

/** A shell in which waiting takes no time, and which is interrupted after this many waits. */
function quickShell({ waits = 4, isTerminal = false } = {}): TestShell {
  const env = createRealEnv();
  const sleep = (): Promise<void> => {
    if (--waits <= 0) shell.interrupt();
    return Promise.resolve();
  };
  const clock = { ...env.clock, sleep };
  const shell: TestShell = testShell({ env: { ...env, clock }, isTerminal, variables: { NO_COLOR: "1" } });
  return shell;
}

interface Machines {
  readonly ready: number;
  readonly age: number;
}

/** An answer that is read several times; the last one stays. */
function answers(output: WatchedAnswer<Machines>["output"], ...all: readonly Machines[]) {
  let reads = 0;
  return {
    read: () => Promise.resolve(all[Math.min(reads++, all.length - 1)] ?? { ready: 0, age: 0 }),
    print: ({ ready, age }: Machines) => (output ? `{"ready":${ready}}\n` : `${ready} ready, ${age}s old\n`),
    essence: ({ ready }: Machines) => ready,
    output,
  };
}

describe("an answer that is watched", () => {
  const states = [1, 1, 3].map((ready, age) => ({ ready, age }));

  test("is printed again after a change, but not because it is older, and ends with Ctrl-C", async () => {
    const shell = quickShell();
    expect(await watchAnswer(shell, answers(undefined, ...states))).toBe(130);
    expect(shell.written).toEqual({ out: "1 ready, 0s old\n\n3 ready, 2s old\n", err: "" });
  });

  test("is one document after the other for programs, on a terminal, too", async () => {
    const shell = quickShell({ isTerminal: true });
    await watchAnswer(shell, answers("json", ...states));
    expect(shell.written.out).toBe('{"ready":1}\n{"ready":3}\n');
    const yaml = quickShell();
    await watchAnswer(yaml, answers("yaml", ...states));
    expect(yaml.written.out).toBe('{"ready":1}\n---\n{"ready":3}\n');
  });

  test("is drawn over the previous one on a terminal", async () => {
    const shell = quickShell({ isTerminal: true });
    await watchAnswer(shell, answers(undefined, ...states));
    expect(shell.written.out.split("\u001B[H\u001B[J")).toEqual([
      "",
      "1 ready, 0s old\n",
      "1 ready, 1s old\n",
      "3 ready, 2s old\n",
    ]);
  });
});

test.each([false, true])(
  "Ctrl-C during a read ends quietly, although the read then fails (terminal: %o)",
  async (isTerminal) => {
    const shell = quickShell({ waits: 99, isTerminal });
    const closed = transient("ServerUnreachable", "GET /apis: the command has ended");
    const later = Promise.withResolvers<never>();
    let reads = 0;
    const read = (): Promise<Machines> => {
      if (reads++ === 0) return Promise.resolve({ ready: 1, age: 0 });
      shell.interrupt();
      return later.promise;
    };
    expect(await watchAnswer(shell, { ...answers(undefined), read })).toBe(130);
    const before = { ...shell.written };
    // The connection is closed, which fails its requests.
    later.reject(closed);
    await later.promise.catch(() => undefined);
    await Promise.resolve();
    expect(shell.written).toEqual(before);
    expect(before.out + before.err).not.toContain("no answer");
  },
);

test("a line that is too long for the window is cut, and its colour ends", async () => {
  const shell = quickShell({ waits: 1, isTerminal: true });
  await draw(shell, () => Promise.resolve(`\u001B[31m${"x".repeat(200)}\u001B[39m\n`));
  expect(shell.written.out).toContain(`\u001B[31m${"x".repeat(99)}\u001B[39m…\n`);
});
