import { expect, test } from "vitest";
import { machine, pool, unavailable } from "./plan.fixture.ts";
import { byDeletionPriority } from "./selection.ts";

const BITS = [true, false];

test("machines to delete are ordered by annotation, availability, surge, model and state, each before all that follow", () => {
  // From the last to be deleted to the first, so that the policy, which prefers the oldest, has the opposite order.
  const machines = BITS.flatMap((hasDeleteAnnotation) =>
    BITS.flatMap((isUnavailable) =>
      BITS.flatMap((isSurge) =>
        BITS.flatMap((isOutdated) =>
          BITS.map((isBroken) => ({ hasDeleteAnnotation, isUnavailable, isSurge, isOutdated, isBroken })),
        ),
      ),
    ),
  )
    .toReversed()
    .map(({ isUnavailable, isOutdated, isBroken, ...rest }, instanceID) => {
      const facts = {
        ...rest,
        modelHash: isOutdated ? "old" : "A",
        ...(isBroken && { vmState: "Failed" as const }),
      };
      const one = isUnavailable ? unavailable(instanceID, 5, facts) : machine(instanceID, facts);
      return { ...one, instanceID: String(instanceID) };
    });
  const view = pool({ machines, instanceUpdate: "InPlace" });
  const order = byDeletionPriority(view, machines, "A").map(({ instanceID }) => Number(instanceID));
  expect(order).toEqual(machines.map((_, at) => machines.length - 1 - at));
});
