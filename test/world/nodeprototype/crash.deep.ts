import { expect, test } from "vitest";
import { sampledPoints, runsAll } from "../../sample.ts";
import { calmRenewal, crashedRenewal, type RenewalStory } from "./crash-sweep.ts";
import { renewalStory } from "./renewal-story.ts";
import { rollingTemplateStory, templateStory } from "./template-story.ts";

test.each<[string, RenewalStory]>([
  ["pool", renewalStory],
  ["template", templateStory],
  ["template that rolls", rollingTemplateStory],
])(
  "a crash before or after any write of a renewal of a %s does not change its end",
  { timeout: 1_800_000 },
  async (owner, story) => {
    const { run, points } = await calmRenewal(story, "2");
    expect(points.length).toBeGreaterThan(40);
    // A renewal takes hours of virtual time, so the gate has every twenty-first point.
    const some = runsAll ? points : points.filter((_, index) => index % 3 === 0);
    for (const point of sampledPoints(`crashes of a renewal of a ${owner}`, some))
      await crashedRenewal(story, run, { seed: "2", point });
  },
);
