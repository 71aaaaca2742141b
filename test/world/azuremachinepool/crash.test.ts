import { expect, test } from "vitest";
import { calmly, crashedAt } from "./crash-sweep.ts";
import { STORIES } from "./stories.ts";

const SAMPLE = 2;

test.each(Object.keys(STORIES))(
  "%s: the end is the same with a crash at any of a sample of its writes",
  async (name) => {
    const { run, points } = await calmly(name, "1");
    // An odd stride is before some writes and after others.
    const step = Math.floor(points.length / SAMPLE) | 1;
    const sample = points.filter((_, index) => index % step === 1);
    expect(sample.length).toBeGreaterThan(1);
    for (const point of sample) await crashedAt(name, "1", { run, point });
  },
);
