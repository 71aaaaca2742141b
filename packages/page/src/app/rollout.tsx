import { useMemo, useRef } from "preact/hooks";
import type { StreamRequest } from "../addresses.ts";
import type { Lane, Obstacle, RolloutHead } from "../protocol.ts";
import { Availability } from "./lanes/availability.tsx";
import { Lanes } from "./lanes/lanes.tsx";
import { Legend } from "./lanes/legend.tsx";
import { shownLanes, sortedLanes } from "./lanes/lane-order.ts";
import { Command, Said, ToneMark } from "./parts.tsx";
import { route } from "./route.ts";
import { nowMs, useView } from "./stream.ts";
import { axisOf } from "./lanes/time-axis.ts";
import { clockText, durationText } from "./time.ts";
import { Problem, ViewTitle } from "./view-frame.tsx";

/** Why a rollout waits, what comes next, and when it ends. */
export function RolloutView({ request }: { readonly request: StreamRequest }) {
  const view = useView<RolloutHead, Lane>(request);
  const { head, rows, problem } = view.value;
  const title = `${request.kind ?? ""} ${request.namespace ?? ""}/${request.name ?? ""}`;
  return (
    <>
      <ViewTitle title={title} />
      <Problem text={problem} />
      {head ? <Rollout head={head} rows={rows} /> : problem === undefined && <p class="faint">Reading …</p>}
    </>
  );
}

function Rollout({ head, rows }: { readonly head: RolloutHead; readonly rows: ReadonlyMap<string, Lane> }) {
  const lanes = useSorted(rows);
  const axis = axisOf(head, lanes, nowMs.value);
  const shown = shownLanes(lanes, { search: route.value.search, fromMs: axis.fromMs });
  return (
    <>
      <p class="sentence" aria-live="polite">
        <ToneMark tone={head.tone} /> <Said>{head.sentence}</Said>
      </p>
      <Pace head={head} />
      <Obstacles obstacles={head.obstacles} />
      {head.notes.map((note) => (
        <p class="note" key={note}>
          <Said>{note}</Said>
        </p>
      ))}
      <Availability head={head} axis={axis} />
      <Legend lanes={shown} />
      <Lanes lanes={shown} axis={axis} />
      <p class="in-terminal">
        In a terminal: <Command text={head.command} />
      </p>
    </>
  );
}

/** The time is drawn each second, and lanes are sorted only when they have changed. */
function useSorted(rows: ReadonlyMap<string, Lane>): readonly Lane[] {
  const sorted = useRef<readonly Lane[]>([]);
  return useMemo(() => (sorted.current = sortedLanes(rows, sorted.current)), [rows]);
}

function Pace({ head }: { readonly head: RolloutHead }) {
  const { pace, budget, endedMs } = head;
  return (
    <p class="pace">
      <ExpectedEnd head={head} />
      {endedMs !== undefined && <strong>Ended {clockText(endedMs)}</strong>}
      {pace !== undefined && <span>{pace}</span>}
      {budget !== undefined && <span class="faint">{budget}</span>}
    </p>
  );
}

/** A forecast knows nothing of what holds the rollout up. */
function ExpectedEnd({ head: { expectedEndMs, obstacles } }: { readonly head: RolloutHead }) {
  if (expectedEndMs === undefined) return null;
  const leftMs = expectedEndMs - nowMs.value;
  if (obstacles.length > 0) return <strong>Held up; the rest takes about {durationText(leftMs)}</strong>;
  if (leftMs <= 0) return <strong>About to end</strong>;
  return <strong>{`Ends about ${clockText(expectedEndMs)}, in ${durationText(leftMs)}`}</strong>;
}

function Obstacles({ obstacles }: { readonly obstacles: readonly Obstacle[] }) {
  if (obstacles.length === 0) return null;
  return (
    <section class="obstacles" aria-labelledby="obstacles-title">
      <h2 id="obstacles-title">Waiting for</h2>
      <ul>
        {obstacles.map(({ who, reason, message, blocking, command }) => (
          <li key={`${who} ${reason} ${message}`}>
            <p>
              {blocking !== undefined && (
                <strong>
                  <Said>{blocking}</Said>
                </strong>
              )}
              <span class="reason">{reason}</span>
              {who !== "" && who !== "blocked" && (
                <span class="faint">
                  <Said>{who}</Said>
                </span>
              )}
            </p>
            <p>
              <Said>{message}</Said>
            </p>
            {command !== undefined && <Command text={command} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
