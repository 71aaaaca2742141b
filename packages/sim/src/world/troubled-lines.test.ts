import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import type { LineEffect } from "../faults/effect.ts";
import { troubledLines } from "./troubled-lines.ts";

/** The received lines, with the second of their arrival. */
async function arriving(troubles: Readonly<Record<number, LineEffect>>): Promise<string[]> {
  const scheduler = new Scheduler({ seed: "1" });
  const env = new VirtualProcess(scheduler, "network");
  async function* lines(): AsyncGenerator {
    for (const line of ["a", "b", "c"]) yield await Promise.resolve(line);
  }
  let count = 0;
  const seen: string[] = [];
  void (async () => {
    for await (const line of troubledLines(lines(), env, () => troubles[++count])) {
      const text = typeof line === "string" ? line : (line as { object: { code: number } }).object.code;
      seen.push(`${text} at ${scheduler.monotonicMs / 1000}`);
    }
    seen.push("end");
  })();
  await scheduler.run();
  return seen;
}

test.each<[string, Readonly<Record<number, LineEffect>>, string[]]>([
  ["pass as they are", {}, ["a at 0", "b at 0", "c at 0", "end"]],
  [
    "come late and keep their order",
    { 2: { kind: "delay", forMs: 5000 } },
    ["a at 0", "b at 5", "c at 5", "end"],
  ],
  ["come twice", { 1: { kind: "duplicate" } }, ["a at 0", "a at 0", "b at 0", "c at 0", "end"]],
  [
    "are missed until the stream says 410",
    { 2: { kind: "miss", forMs: 3000 } },
    ["a at 0", "410 at 3", "end"],
  ],
  ["end with 410", { 1: { kind: "expire", isBehind: false } }, ["410 at 0", "end"]],
])("lines of a watch %s", async (_, troubles, expected) => {
  expect(await arriving(troubles)).toEqual(expected);
});
