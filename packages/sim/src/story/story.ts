import { counted } from "../scenario/step-text.ts";
import type { Happening, TraceEvent } from "../trace/trace-event.ts";
import { clockText } from "./clock-text.ts";
import { because, type HappeningOf, happeningText, machineText, verbOf } from "./event-text.ts";

/** One line of a story. */
export interface StoryLine {
  readonly atMs: number;
  readonly actor: string;
  readonly text: string;
  /** How many events it covers. */
  readonly events: number;
}

/** Happenings that one line of a story may cover together. */
type Repeated = HappeningOf<"machine" | "node" | "condition" | "guestFailure" | "fault">;

/** Happenings in a story. Single writes and requests are only counted, in the summary. */
type Told = Exclude<Happening, { readonly kind: "write" | "arm" }>;

interface Group {
  readonly first: TraceEvent;
  readonly happenings: [Told, ...Told[]];
}

// Equal events within a minute are one line.
const TOGETHER_MS = 60_000;

/** Builds the story: one line for each event, and one for many equal ones within a minute. */
export function storyOf(events: readonly TraceEvent[]): readonly StoryLine[] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const event of events) {
    const { happening, atMs, actor } = event;
    if (happening.kind === "write" || happening.kind === "arm") continue;
    const key = isRepeated(happening) ? `${actor} ${happening.kind} ${sameness(happening)}` : undefined;
    // An event after a step, a crash or a violation may be its consequence, so it gets a new line.
    if (key === undefined) open.clear();
    const group = key === undefined ? undefined : open.get(key);
    if (group && atMs - group.first.atMs < TOGETHER_MS) {
      group.happenings.push(happening);
      continue;
    }
    const begun: Group = { first: event, happenings: [happening] };
    groups.push(begun);
    if (key !== undefined) open.set(key, begun);
  }
  return groups.map(lineOf);
}

/** The story as text in columns: time, actor, text. */
export function storyText(lines: readonly StoryLine[]): string {
  const width = Math.max(0, ...lines.map(({ actor }) => actor.length));
  return lines
    .map(({ atMs, actor, text }) => `${clockText(atMs)}  ${actor.padEnd(width)}  ${text}\n`)
    .join("");
}

function isRepeated(happening: Told): happening is Repeated {
  return happening.kind !== "step" && happening.kind !== "process" && happening.kind !== "violation";
}

/** What two happenings of a kind must share to be on one line. */
function sameness(happening: Repeated): string {
  switch (happening.kind) {
    case "machine":
      return `${machineText(happening.machine).ofScaleSet} ${happening.event}`;
    case "node":
      return `${happening.cluster} ${happening.event}`;
    case "condition":
      return `${kindIn(happening.object)} ${happening.type} ${happening.status} ${happening.reason}`;
    case "guestFailure":
      return happening.reason;
    case "fault":
      return happening.fault;
  }
}

function lineOf({ first, happenings }: Group): StoryLine {
  const [one, ...others] = happenings;
  const last = others.at(-1);
  const text =
    last && isRepeated(one) && isRepeated(last)
      ? `${togetherText(one, happenings.length)}: ${subjectOf(one)} first, ${subjectOf(last)} last`
      : happeningText(one);
  return { atMs: first.atMs, actor: first.actor, text, events: happenings.length };
}

/** Several equal happenings in one sentence. */
function togetherText(one: Repeated, count: number): string {
  switch (one.kind) {
    case "machine":
      return `${counted(count, "machine")}${machineText(one.machine).ofScaleSet} ${verbOf(one.event, count)}`;
    case "node":
      return `${counted(count, "node")} of ${one.cluster} ${verbOf(one.event, count)}`;
    case "condition":
      return `${one.type} became ${one.status} ${counted(count, "time")}${because(one.reason, "")}`;
    case "guestFailure":
      return `${counted(count, "guest")} failed${because(one.reason, one.message)}`;
    case "fault":
      return `${one.fault}, ${counted(count, "time")}`;
  }
}

function subjectOf(happening: Repeated): string {
  switch (happening.kind) {
    case "machine":
      return machineText(happening.machine).name;
    case "node":
      return happening.node;
    case "condition":
      return happening.object;
    case "guestFailure":
      return happening.machine;
    case "fault":
      return happening.text;
  }
}

/** The kind in `AzureMachinePool default/pool`. */
function kindIn(object: string): string {
  return object.split(" ", 1)[0] ?? "";
}
