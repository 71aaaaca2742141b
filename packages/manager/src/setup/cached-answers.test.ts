import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { cachedAnswers } from "./cached-answers.ts";

test("an answer is cached for a while by its arguments, and a failure is not cached", async () => {
  const scheduler = new Scheduler({ seed: "1" });
  const { clock } = new VirtualProcess(scheduler, "p");
  let asked = 0;
  const ask = cachedAnswers(
    (name: string) =>
      name === "bad" ? Promise.reject(new Error(`no ${++asked}`)) : Promise.resolve(`${name} ${++asked}`),
    { clock, forMs: 1000 },
  );
  expect([await ask("a"), await ask("a"), await ask("b")]).toEqual(["a 1", "a 1", "b 2"]);
  await expect(ask("bad")).rejects.toThrow("no 3");
  await expect(ask("bad")).rejects.toThrow("no 4");
  await scheduler.advance(1000);
  expect(await ask("a")).toBe("a 5");
});

test("that there is nothing is cached for a shorter time: a controller may be about to create it", async () => {
  const scheduler = new Scheduler({ seed: "1" });
  const { clock } = new VirtualProcess(scheduler, "p");
  let stored: string | undefined;
  const ask = cachedAnswers((_: string) => Promise.resolve(stored), {
    clock,
    forMs: 1000,
    nothingForMs: 100,
  });
  expect(await ask("a")).toBeUndefined();
  stored = "made";
  expect(await ask("a")).toBeUndefined();
  await scheduler.advance(100);
  expect(await ask("a")).toBe("made");
  stored = "changed";
  await scheduler.advance(999);
  expect(await ask("a")).toBe("made");
});
