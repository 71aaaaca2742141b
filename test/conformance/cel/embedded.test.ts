import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Sequence } from "../apply/recording.ts";
import { replay } from "../apply/replay.ts";
import { startServer } from "../apply/stepped-server.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";

/** Sequences that a real kube-apiserver 1.35 has answered; the first step of each creates a definition with rules. */
const SEQUENCES = JSON.parse(
  readFileSync(new URL("recorded.json", import.meta.url), "utf8"),
) as readonly Sequence[];

test.each(SEQUENCES.map((sequence) => [sequence.id, sequence] as const))(
  "rules give the verdict of kube-apiserver: %s",
  async (id, sequence) => {
    const { steps = [] } = KNOWN_DIFFERENCES[id] ?? {};
    const differences = await replay(sequence, startServer(), { initial: [], isReal: true });
    const unknown = differences.filter(({ step }) => !steps.includes(step));
    expect(unknown.map(({ step, problem }) => `step ${step}: ${problem}`).join("\n\n")).toBe("");
    expect(differences.map(({ step }) => step)).toEqual(steps);
  },
);
