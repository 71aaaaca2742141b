import type { PictureGroup } from "../../picture.ts";
import { Availability } from "../lanes/availability.tsx";
import { Lanes } from "../lanes/lanes.tsx";
import { Legend } from "../lanes/legend.tsx";
import { shownLanes, sortedLanes } from "../lanes/lane-order.ts";
import { Said } from "../parts.tsx";
import { route } from "../route.ts";
import { axisOf } from "../lanes/time-axis.ts";

/** The machines of each owner over time, all on their own axis. */
export function PictureGroups({ groups }: { readonly groups: readonly PictureGroup[] }) {
  return (
    <>
      {groups.map((group) => (
        <Group key={group.title} group={group} />
      ))}
    </>
  );
}

function Group({ group }: { readonly group: PictureGroup }) {
  const { title, facts, floor, levels, lanes, beganMs, nowMs, endMs } = group;
  const isOver = nowMs >= endMs;
  const axis = axisOf({ beganMs, ...(isOver ? { endedMs: endMs } : { expectedEndMs: endMs }) }, lanes, nowMs);
  const sorted = sortedLanes(new Map(lanes.map((lane) => [lane.key, lane])));
  const shown = shownLanes(sorted, { search: route.value.search, fromMs: axis.fromMs });
  const available = levels.at(-1)?.[1] ?? 0;
  const numbers = { machines: { desired: floor ?? 1, available } };
  return (
    <section>
      <h3>
        <Said>{title}</Said> <span class="faint">{facts}</span>
      </h3>
      {levels.length > 0 && (
        <Availability
          head={{ levels, beganMs, numbers, ...(floor !== undefined && { floor }) }}
          axis={axis}
        />
      )}
      <Legend lanes={shown} />
      <Lanes lanes={shown} axis={axis} />
    </section>
  );
}
