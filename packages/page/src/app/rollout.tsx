import type { StreamRequest } from "../addresses.ts";
import type { Lane, Obstacle, RolloutHead } from "../protocol.ts";
import { Availability } from "./lanes/availability.tsx";
import { Lanes } from "./lanes/lanes.tsx";
import { Legend } from "./lanes/legend.tsx";
import { shownLanes } from "./lanes/lane-order.ts";
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
      {head ? (
        <Rollout head={head} lanes={[...rows.values()]} />
      ) : (
        problem === undefined && <p class="faint">Reading …</p>
      )}
    </>
  );
}

function Rollout({ head, lanes }: { readonly head: RolloutHead; readonly lanes: readonly Lane[] }) {
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

function Pace({ head }: { readonly head: RolloutHead }) {
  const { pace, budget, expectedEndMs, endedMs } = head;
  const left = expectedEndMs === undefined ? 0 : expectedEndMs - nowMs.value;
  return (
    <p class="pace">
      {expectedEndMs !== undefined && (
        <strong>
          {left > 0 ? `Ends about ${clockText(expectedEndMs)}, in ${durationText(left)}` : "About to end"}
        </strong>
      )}
      {endedMs !== undefined && <strong>Ended {clockText(endedMs)}</strong>}
      {pace !== undefined && <span>{pace}</span>}
      {budget !== undefined && <span class="faint">{budget}</span>}
    </p>
  );
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
