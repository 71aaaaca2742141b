import type { Lane, LaneForecast, Picture, PictureGroup } from "@capstan/page";
import { plannedChange, plannedDump, givenChange, type ChangePlace } from "../../plan/planned-change.ts";
import type { PoolForecast } from "../../plan/planners/forecast-plan.ts";
import { type Host, type PlanReport, printReports } from "../../plan/planners/planner.ts";
import { inWords } from "../../plan/print/in-words.ts";
import { sortObjects } from "../../plan/read/given-objects.ts";
import { isDump } from "../../plan/read/is-dump.ts";
import { objectsIn } from "../../plan/read/read-objects.ts";
import { changeLine } from "../../plan/read/spec-changes.ts";
import { medianTimes } from "../../plan/times/expected-times.ts";
import { forecastLanes } from "../lanes/forecast-lanes.ts";

/** Whose server plans, and the words that select it in commands. */
export interface PlanPlace extends ChangePlace {
  readonly flags: string;
}

/** What `capstan plan` says about a text, with the lanes of the pools that it changes. */
export async function planPicture(host: Host, text: string, place: PlanPlace): Promise<Picture> {
  const objects = objectsIn(text, "the manifest");
  const given = sortObjects(objects, place.namespace);
  const change = givenChange(objects, given);
  const isOfDump = isDump(given);
  const reports = isOfDump ? plannedDump(change) : await plannedChange(host, change, place);
  const words = inWords(printReports(reports, "text"));
  const isDisruptive = reports.some((report) => report.isDisruptive);
  return {
    title: isOfDump ? "What comes next" : "What this change would do",
    tone: toneOf(reports, isDisruptive),
    sentence: (words.trimEnd().split("\n").at(-1) ?? "").replace(/^Summary: /, ""),
    notes: reports.flatMap(({ notes }) => notes),
    groups: reports.flatMap(({ pools = [] }) => pools.flatMap((pool) => groupOf(pool, place.nowMs))),
    text: words,
    command: `npx capstan plan -f FILE ${place.flags}`.trim(),
  };
}

function toneOf(reports: readonly PlanReport[], isDisruptive: boolean): Picture["tone"] {
  if (reports.some(({ json }) => json.blocked.length > 0)) return "bad";
  return isDisruptive ? "waiting" : "good";
}

// The text has all of them.
const MOST_CHANGES = 3;

/** The lanes of a pool: those of machines that the change reaches, and of the new ones. */
function groupOf(pool: PoolForecast, nowMs: number): readonly PictureGroup[] {
  const { namespace, name, typical, typicalMs, changes } = pool;
  const { byName, created } = forecastLanes({
    forecast: typical,
    times: medianTimes({ minReadySeconds: 0 }),
    nowMs,
  });
  const existing = [...byName].map(([machine, forecast]) => existingLane(machine, namespace, forecast));
  if (existing.length + created.length === 0) return [];
  return [
    {
      title: `AzureMachinePool ${namespace}/${name}`,
      facts: changes.slice(0, MOST_CHANGES).map(changeLine).join(", "),
      levels: [],
      lanes: [...existing, ...created],
      beganMs: nowMs,
      nowMs,
      endMs: nowMs + typicalMs,
    },
  ];
}

function existingLane(name: string, namespace: string, forecast: readonly LaneForecast[]): Lane {
  return {
    key: name,
    name,
    kind: "",
    namespace,
    group: "outdated",
    tone: "waiting",
    segments: [],
    forecast,
    message: "",
  };
}
