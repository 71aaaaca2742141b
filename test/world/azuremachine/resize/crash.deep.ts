import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { everyNth } from "../../../sample.ts";
import { resizeLife } from "./life.ts";

test.each([true, false])(
  "a crash before or after any write changes no end of a resize, with room: %s",
  async (hasRoom) => {
    const life = resizeLife("1", { hasRoom });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = everyNth(
      `crashes of a resize ${hasRoom ? "with" : "without"} room`,
      crashPointsOf(calm).slice(-120),
      41,
    );
    for await (const { point, run } of crashAt(points, life)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
