import { rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { lifeUnderTwo, pausedAt } from "./two-managers.ts";

test("a leader that is paused at any of its writes until another leads writes nothing when it wakes up", async () => {
  const calm = await rehearse(lifeUnderTwo("2"));
  expect(calm.failure).toBeUndefined();
  for (let write = 1; write <= calm.writes; write++) await pausedAt("2", write, calm);
  console.log(`${calm.writes} pauses`);
});
