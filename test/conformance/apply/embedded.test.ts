import { describe, expect, test } from "vitest";
import { definitionsOf } from "./definitions.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";
import { sequencesOf, TOPICS } from "./recording.ts";
import { replay } from "./replay.ts";
import { startServer } from "./stepped-server.ts";

describe.each(TOPICS)("the embedded server answers as kube-apiserver did: %s", (topic) => {
  const sequences = sequencesOf(topic).filter(({ id }) => KNOWN_DIFFERENCES[id]?.isSkipped !== true);
  test.each(sequences.map((sequence) => [sequence.title, sequence] as const))("%s", async (_, sequence) => {
    const { steps = [], onlyManagers = false } = KNOWN_DIFFERENCES[sequence.id] ?? {};
    const server = startServer();
    const differences = await replay(sequence, server, { onlyManagers, ...definitionsOf(sequence) });
    const unknown = differences.filter(({ step }) => !steps.includes(step));
    expect(unknown.map(({ step, problem }) => `step ${step}: ${problem}`).join("\n\n")).toBe("");
    expect(differences.map(({ step }) => step)).toEqual(steps);
  });
});
