import { test } from "vitest";
import { FLEET_PROPERTIES } from "../../../../packages/plan/src/rollout/machine-deployment/in-place/fleet-properties.fixture.ts";
import { repetitions } from "../../../sample.ts";

test.each(FLEET_PROPERTIES)("%s", (name, assert) => {
  assert({ numRuns: repetitions(name, 400, 50_000), seed: 2 });
});
