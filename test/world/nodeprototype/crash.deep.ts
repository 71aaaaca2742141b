import { expect, test } from "vitest";
import { sampledPoints, runsAll } from "../../sample.ts";
import { calmRenewal, crashedRenewal, type RenewalStory } from "./crash-sweep.ts";
import { renewalStory } from "./renewal-story.ts";
import { rollbackStory, unchangedStory } from "./roll-back-story.ts";
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

test.each<[string, RenewalStory, object]>([
  ["renewal without anything new", unchangedStory, { history: ["Active"], rolledBack: false }],
  ["roll-back without a user", rollbackStory, { history: ["Bad"], rolledBack: true }],
])(
  "a crash before or after any write of a %s does not change its end",
  { timeout: 1_800_000 },
  async (name, story, end) => {
    const { run, points } = await calmRenewal(story, "2");
    expect(run.end).toMatchObject({ ...end, cordoned: 0, ready: ["mp-0", "mp-1", "mp-2"] });
    expect(points.length).toBeGreaterThan(10);
    const some = runsAll ? points : points.filter((_, index) => index % 3 === 0);
    for (const point of sampledPoints(`crashes of a ${name}`, some))
      await crashedRenewal(story, run, { seed: "2", point });
  },
);
