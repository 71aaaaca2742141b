import { crashAt, crashPointsOf, type Rehearsal, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { everyNth } from "../../sample.ts";
import { adoptionOf, LIFE, lifeOf } from "./life.ts";

// One run takes more than half a second; the whole sweep is for the soak.
const STRIDE = 61;

/** A story, and its beginning, whose writes another story crashes at. */
interface Sweep {
  readonly end: string;
  readonly story: Rehearsal;
  readonly beginning?: Rehearsal;
}

test.each<Sweep>([
  { end: "created, patched, upgraded and scaled", story: lifeOf("1", LIFE) },
  { end: "deleted", story: lifeOf("1", ["created", "deleted"]), beginning: lifeOf("1", ["created"]) },
  { end: "adopted", story: adoptionOf("1") },
])(
  "a crash before or after any write changes nothing about the end of a cluster that is $end",
  async ({ end, story, beginning }) => {
    const calm = await rehearse(story);
    expect(calm.failure).toBeUndefined();
    const known = beginning ? (await rehearse(beginning)).writes : 0;
    const points = crashPointsOf(calm).filter(({ write }) => write > known);
    const taken = everyNth(`crashes of an AKS cluster that is ${end}`, points, STRIDE);
    for await (const { point, run } of crashAt(taken, story)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
