/** Reports of `capstan rehearse -o json` and runs of `capstan sim run -o json`, as pictures. The files may come from anywhere. */
import type { Picture, PictureGroup } from "../../picture.ts";
import type { Lane, LanePhase, LaneSegment, Tone } from "../../protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The picture of a file; undefined if it is neither a report nor a run. */
export function pictureOfFile(text: string): Picture | undefined {
  const file = parsed(text);
  if (!file) return undefined;
  // A comparison is a list of two reports.
  const first = fields(listIn(file, "changes")[0] ?? file);
  if (isFields(first["verdict"]) && isFields(first["typical"])) return reportPicture(first);
  return isFields(file["summary"]) && Array.isArray(file["nodes"]) ? runPicture(file) : undefined;
}

function parsed(text: string): Fields | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : Array.isArray(value) ? { changes: value } : undefined;
  } catch {
    return undefined;
  }
}

const TONES: Readonly<Record<string, Tone>> = {
  "nothing is disrupted": "good",
  "disrupted within budgets": "good",
  "would block or break a budget": "bad",
  refused: "bad",
};

function reportPicture(report: Fields): Picture {
  const verdict = fields(report["verdict"]);
  const facts = fields(fields(report["typical"])["facts"]);
  const endMs = numberIn(facts, "durationMs");
  const shown = listIn(facts, "groups").map(fields).filter(isMoved);
  return {
    title: `Rehearsal: ${textIn(verdict, "outcome")}`,
    tone: TONES[textIn(verdict, "outcome")] ?? "unknown",
    sentence: textIn(verdict, "why"),
    notes: ["carrier", "durations"].map((name) => textIn(report, name)).filter((note) => note !== ""),
    groups: shown.map((group) => reportGroup(group, endMs)),
    text: textsIn(report, "assumptions").join("\n"),
    command: "npx capstan rehearse --help",
  };
}

const isMoved = (group: Fields): boolean =>
  ["replaced", "inPlace", "removed", "added"].some((count) => numberIn(group, count) > 0);

function reportGroup(group: Fields, endMs: number): PictureGroup {
  const counts = ["replaced", "inPlace", "removed", "added", "untouched"] as const;
  const words = { replaced: "replaced", inPlace: "updated in place", removed: "removed" } as const;
  const facts = counts.flatMap((count) => {
    const value = numberIn(group, count);
    return value > 0 ? [`${value} ${count in words ? words[count as keyof typeof words] : count}`] : [];
  });
  const { floor } = group;
  return {
    title: textIn(group, "key").replace("/", " "),
    facts: facts.join(", "),
    ...(typeof floor === "number" && { floor }),
    levels: pairsIn(group, "levels"),
    lanes: listIn(group, "machines")
      .map(fields)
      .map((machine, index) => machineLane(machine, { index, endMs })),
    beganMs: 0,
    nowMs: endMs,
    endMs,
  };
}

/** A machine can do work or not: before the first time it comes, after the last one it goes. */
function machineLane(
  machine: Fields,
  { index, endMs }: { readonly index: number; readonly endMs: number },
): Lane {
  const fate = textIn(machine, "fate");
  const times = pairsIn(machine, "available");
  const createdMs = numberIn(machine, "createdMs");
  const goneMs = typeof machine["goneMs"] === "number" ? machine["goneMs"] : undefined;
  const segments = times.flatMap(([fromMs, toMs], at): readonly LaneSegment[] => {
    const before = times[at - 1]?.[1] ?? Math.max(createdMs, 0);
    const between: LanePhase = at > 0 ? (fate === "updated in place" ? "update" : "unready") : "create";
    const gap = fromMs > before ? [{ phase: between, fromMs: before, toMs: fromMs }] : [];
    return [...gap, { phase: "ready", fromMs, toMs }];
  });
  const lastMs = times.at(-1)?.[1] ?? Math.max(createdMs, 0);
  const end: readonly LaneSegment[] =
    goneMs !== undefined && goneMs > lastMs ? [{ phase: "delete", fromMs: lastMs, toMs: goneMs }] : [];
  return {
    ...laneNamed(textIn(machine, "name"), index),
    group: fate,
    tone: goneMs === undefined ? "good" : "unknown",
    segments: [...segments, ...end],
    message: fate,
    ...(goneMs !== undefined && goneMs <= endMs && { goneMs }),
  };
}

/** What a Node does after each of its events. */
const PHASE_AFTER: Readonly<Record<string, LanePhase | undefined>> = {
  joined: "join",
  ready: "ready",
  uncordoned: "ready",
  notReady: "unready",
  cordoned: "drain",
};

function runPicture(run: Fields): Picture {
  const summary = fields(run["summary"]);
  const endMs = numberIn(summary, "virtualMs");
  const failure = isFields(run["failure"]) ? fields(run["failure"]) : undefined;
  const byCluster = Map.groupBy(listIn(run, "nodes").map(fields), (node) => textIn(node, "cluster"));
  return {
    title: `Scenario: ${textIn(summary, "scenario")}`,
    tone: failure ? "bad" : "good",
    sentence: failure ? `failed: ${textIn(failure, "text")}` : `seed ${textIn(summary, "seed")}, to its end`,
    notes: [],
    groups: [...byCluster].map(([cluster, nodes]) => ({
      title: `Nodes of ${cluster}`,
      facts: `${nodes.length}`,
      levels: [],
      lanes: nodes.map((node, index) => nodeLane(node, { index, endMs })),
      beganMs: 0,
      nowMs: endMs,
      endMs,
    })),
    text: listIn(run, "story")
      .map((entry) => textIn(fields(entry), "text"))
      .join("\n"),
    command: textIn(run, "command"),
  };
}

function nodeLane(node: Fields, { index, endMs }: { readonly index: number; readonly endMs: number }): Lane {
  const steps = listIn(node, "steps").map(fields);
  const segments = steps.flatMap((step, at): readonly LaneSegment[] => {
    const phase = PHASE_AFTER[textIn(step, "event")];
    const following = steps[at + 1];
    const toMs = following ? numberIn(following, "atMs") : endMs;
    return phase ? [{ phase, fromMs: numberIn(step, "atMs"), toMs }] : [];
  });
  const last = fields(steps.at(-1));
  const isGone = textIn(last, "event") === "gone";
  return {
    ...laneNamed(textIn(node, "node"), index),
    group: "",
    tone: isGone ? "unknown" : "good",
    segments,
    ...(isGone && { goneMs: numberIn(last, "atMs") }),
  };
}

function laneNamed(name: string, index: number): Omit<Lane, "segments" | "group" | "tone"> {
  return { key: `${index} ${name}`, name, kind: "", namespace: "", forecast: [], message: "" };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listIn(of: Fields, name: string): readonly unknown[] {
  const value = of[name];
  return Array.isArray(value) ? (value as readonly unknown[]).slice(0, MOST_ITEMS) : [];
}

// More than any fleet has; a file from elsewhere must not hang the window.
const MOST_ITEMS = 50_000;

function textsIn(of: Fields, name: string): readonly string[] {
  return listIn(of, name).filter((value) => typeof value === "string");
}

function pairsIn(of: Fields, name: string): readonly (readonly [number, number])[] {
  return listIn(of, name).flatMap((pair) => {
    const [first, second] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    return typeof first === "number" && typeof second === "number" ? [[first, second] as const] : [];
  });
}

function textIn(of: Fields, name: string): string {
  const value = of[name];
  return typeof value === "string" ? value : "";
}

function numberIn(of: Fields, name: string): number {
  const value = of[name];
  return typeof value === "number" ? value : 0;
}
