import { expect, test } from "vitest";
import { everySeventh, runsAll } from "../../sample.ts";
import { calmRenewal, crashedRenewal } from "./crash-sweep.ts";

test(
  "a crash before or after any write of a renewal does not change its end",
  { timeout: 900_000 },
  async () => {
    const { run, points } = await calmRenewal("2");
    expect(points.length).toBeGreaterThan(40);
    // A renewal takes hours of virtual time, so the gate has every ninth point.
    const some = runsAll ? points : points.filter((_, index) => index % 3 === 0);
    for (const point of everySeventh("crashes of a renewal", some)) await crashedRenewal("2", run, point);
  },
);
