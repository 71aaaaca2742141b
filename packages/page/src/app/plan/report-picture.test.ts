import { expect, test } from "vitest";
import { pictureOfFile } from "./report-picture.ts";

const machine = (
  name: string,
  fate: string,
  times: readonly (readonly [number, number])[],
  goneMs?: number,
) => ({
  name,
  fate,
  createdMs: fate === "new" ? 10 : -5,
  available: times,
  ...(goneMs !== undefined && { goneMs }),
});
const group = (key: string, replaced: number, machines: readonly object[]) => ({
  key,
  replaced,
  inPlace: 0,
  removed: 0,
  added: 0,
  untouched: 0,
  floor: 1,
  levels: [[0, 1]],
  machines,
});
const report = {
  carrier: "Carried out by Capstan",
  verdict: { outcome: "would block or break a budget", why: "a budget blocks" },
  typical: {
    facts: {
      durationMs: 100,
      groups: [
        group("MachinePool/default/quay", 1, [
          machine("old", "replaced", [[0, 40]], 60),
          machine("new", "new", [[30, 100]]),
        ]),
        group("MachinePool/default/other", 0, []),
      ],
    },
  },
};

test("a report shows the groups that move, with a lane for each machine", () => {
  expect(pictureOfFile(JSON.stringify(report))).toMatchObject({
    tone: "bad",
    sentence: "a budget blocks",
    groups: [
      {
        title: "MachinePool default/quay",
        facts: "1 replaced",
        floor: 1,
        endMs: 100,
        lanes: [
          {
            name: "old",
            goneMs: 60,
            segments: [
              { phase: "ready", fromMs: 0, toMs: 40 },
              { phase: "delete", fromMs: 40, toMs: 60 },
            ],
          },
          {
            name: "new",
            segments: [
              { phase: "create", fromMs: 10, toMs: 30 },
              { phase: "ready", fromMs: 30, toMs: 100 },
            ],
          },
        ],
      },
    ],
  });
});

test("of a comparison the first report is shown", () => {
  expect(pictureOfFile(JSON.stringify([report, report]))?.groups).toHaveLength(1);
});

test("a run shows the Nodes of each cluster until they are gone", () => {
  const run = {
    summary: { scenario: "A pool", seed: "7", virtualMs: 50 },
    story: [{ text: "apply" }],
    nodes: [
      {
        cluster: "quay",
        node: "a",
        steps: [
          { atMs: 1, event: "joined" },
          { atMs: 2, event: "ready" },
          { atMs: 9, event: "gone" },
        ],
      },
    ],
    command: "npx capstan sim run a.yaml",
  };
  expect(pictureOfFile(JSON.stringify(run))).toMatchObject({
    title: "Scenario: A pool",
    tone: "good",
    text: "apply",
    groups: [
      {
        title: "Nodes of quay",
        lanes: [
          {
            goneMs: 9,
            segments: [
              { phase: "join", fromMs: 1, toMs: 2 },
              { phase: "ready", fromMs: 2, toMs: 9 },
            ],
          },
        ],
      },
    ],
  });
});

test.each([
  ["a manifest", "kind: MachinePool"],
  ["a manifest in JSON", '{"kind":"MachinePool"}'],
  ["half a report", '{"verdict": {'],
  ["a list of texts", '["a"]'],
  ["a number", "7"],
])("%s is no report", (_, text) => {
  expect(pictureOfFile(text)).toBeUndefined();
});

test("a report with fields of other types has an empty picture instead of an error", () => {
  const odd = {
    verdict: { outcome: 7 },
    typical: { facts: { groups: [null, { replaced: 1, machines: "x", levels: [1] }] } },
  };
  expect(pictureOfFile(JSON.stringify(odd))).toMatchObject({ groups: [{ lanes: [], levels: [] }] });
});
