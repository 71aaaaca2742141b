import { expect, test } from "vitest";
import { calmRenewal, crashedRenewal } from "./crash-sweep.ts";

const SAMPLE = 5;

test("a renewal ends the same with a crash at any of a sample of its writes", async () => {
  const { run, points } = await calmRenewal("1");
  expect(points.length).toBeGreaterThan(40);
  // An odd stride is before some writes and after others.
  const step = Math.floor(points.length / SAMPLE) | 1;
  for (const point of points.filter((_, index) => index % step === 1)) await crashedRenewal("1", run, point);
});
