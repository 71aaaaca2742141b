import { expect, test } from "vitest";
import { calmRenewal, crashedRenewal, type RenewalStory } from "./crash-sweep.ts";
import { renewalStory } from "./renewal-story.ts";
import { templateStory } from "./template-story.ts";

test.each<[string, RenewalStory, object, number]>([
  ["of a pool", renewalStory, ["1.2.3", undefined, "1.2.3"], 5],
  ["of a template", templateStory, ["1.2.3", "1.2.3", "1.2.3"], 2],
])(
  "a renewal %s ends the same with a crash at any of a sample of its writes",
  async (_, story, patches, sample) => {
    const { run, points } = await calmRenewal(story, "1");
    expect(run.end).toMatchObject({ patches });
    expect(points.length).toBeGreaterThan(40);
    // An odd stride is before some writes and after others.
    const step = Math.floor(points.length / sample) | 1;
    for (const point of points.filter((__, index) => index % step === 1))
      await crashedRenewal(story, run, { seed: "1", point });
  },
);
