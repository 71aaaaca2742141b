import { listMap, object, string } from "../schema/schema.ts";
import { inPlaceDecision } from "./in-place-strategy.ts";

const InPlaceDecision = object("Whether the updaters can update the machines of one MachineSet in place.", {
  machineSet: string("The MachineSet with the old template.", { minLength: 1, maxLength: 253 }),
  ...inPlaceDecision,
});

/** How the machines of a MachineDeployment are updated in place; the same in all versions. */
export const InPlaceStatus = object("How machines are updated in place.", {
  machineSet: string("The MachineSet that the machines move to.", { minLength: 1, maxLength: 253 }),
  decisions: listMap("One decision for each MachineSet with an old template.", InPlaceDecision, {
    keys: ["machineSet"],
    maxItems: 100,
  }),
});
