import { expect, test } from "vitest";
import { everyThird } from "../../sample.ts";
import { calmRenewal, crashedRenewal } from "./crash-sweep.ts";

test(
  "a crash before or after any write of a renewal does not change its end",
  { timeout: 900_000 },
  async () => {
    const { run, points } = await calmRenewal("2");
    expect(points.length).toBeGreaterThan(40);
    for (const point of everyThird("crashes of a renewal", points)) await crashedRenewal("2", run, point);
  },
);
