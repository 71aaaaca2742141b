import { test } from "vitest";
import { FLEET_PROPERTIES } from "./fleet-properties.fixture.ts";

// `test/world/machinedeployment/in-place/plan.deep.ts` tries other and more cases.
test.each(FLEET_PROPERTIES)("%s", (_, assert) => {
  assert({ numRuns: 250 });
});
