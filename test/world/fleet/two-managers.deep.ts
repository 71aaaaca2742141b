import { rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints, numbersFrom } from "../../sample.ts";
import { lifeUnderTwo, pausedAt } from "./two-managers.ts";

test("a leader that is paused at any of its writes until another leads writes nothing when it wakes up", async () => {
  const calm = await rehearse(lifeUnderTwo("2"));
  expect(calm.failure).toBeUndefined();
  const writes = sampledPoints("pauses of a leader", numbersFrom(1, calm.writes));
  for (const write of writes) await pausedAt("2", write, calm);
});
