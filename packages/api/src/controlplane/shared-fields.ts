/** The fields of a control plane that are the same in all versions. */
import { inPlaceDecision } from "../cluster/in-place-strategy.ts";
import { intOrPercent, listMap, object, optional, string } from "../schema/schema.ts";

/** The limits of a rolling update. */
export const rollingUpdateFields = {
  maxSurge: optional(
    intOrPercent(
      "1 adds a machine before one is deleted, 0 deletes one first and needs at least 3 replicas; default 1.",
    ),
  ),
};

/** What the controller records about its work. */
export const controlPlaneProgress = {
  inPlace: optional(
    object("How machines are updated in place.", {
      key: string("A hash of the desired state of the machines.", { maxLength: 64 }),
      decisions: listMap(
        "One decision for each outdated machine.",
        object("Whether the updaters can update one machine in place.", {
          machine: string("The name of the machine.", { minLength: 1, maxLength: 253 }),
          ...inPlaceDecision,
        }),
        { keys: ["machine"], maxItems: 100 },
      ),
    }),
  ),
  creatingMachine: optional(
    string(
      "The name of the machine that is being created: recorded before it exists, so that a crash creates no second one.",
      {
        minLength: 1,
        maxLength: 253,
      },
    ),
  ),
};
