import { expect, test } from "vitest";
import { SCALE_SET } from "../azure.fixture.ts";
import type { Evidence } from "../operations/evidence.ts";
import { parseInstance, type ScaleSetInstance } from "./instance.ts";
import type { InstanceAction } from "./instance-actions.ts";
import { evidenceOf } from "./instance-evidence.ts";

const SINCE = Date.UTC(2026, 0, 1);

function instance(
  state: string,
  power: string,
  extra: { latest?: boolean; time?: number } = {},
): ScaleSetInstance {
  const parsed = parseInstance({
    id: `${SCALE_SET}/virtualMachines/1`,
    instanceId: "1",
    properties: {
      provisioningState: state,
      latestModelApplied: extra.latest ?? false,
      instanceView: {
        statuses: [
          { code: `ProvisioningState/${state.toLowerCase()}`, time: new Date(extra.time ?? 0).toISOString() },
          { code: `PowerState/${power}` },
        ],
      },
    },
  });
  if (!parsed) throw new Error("not an instance");
  return parsed;
}

test.each<[InstanceAction, ScaleSetInstance | undefined, Evidence]>([
  ["delete", undefined, "done"],
  ["delete", instance("Deleting", "running"), "running"],
  ["delete", instance("Succeeded", "running"), "none"],
  ["manualupgrade", instance("Updating", "running"), "running"],
  ["manualupgrade", instance("Succeeded", "running", { latest: true }), "done"],
  ["manualupgrade", instance("Succeeded", "running"), "none"],
  ["reimage", instance("Updating", "running"), "running"],
  ["reimage", instance("Succeeded", "running", { time: SINCE + 60_000 }), "done"],
  ["reimage", instance("Succeeded", "running", { time: SINCE - 60_000 }), "none"],
  ["restart", instance("Succeeded", "running", { time: SINCE - 1000 }), "done"],
  ["start", instance("Succeeded", "starting"), "running"],
  ["start", instance("Succeeded", "running"), "done"],
  ["start", instance("Succeeded", "stopped"), "none"],
  ["poweroff", instance("Succeeded", "stopping"), "running"],
  ["poweroff", instance("Succeeded", "deallocated"), "done"],
  ["deallocate", instance("Succeeded", "stopped"), "none"],
  ["deallocate", instance("Succeeded", "deallocating"), "running"],
  ["reimage", undefined, "done"],
])("%s of %o shows as %s", (action, seen, expected) => {
  expect(evidenceOf(action, seen, SINCE)).toBe(expected);
});
