import { createLogger } from "@capstan/runtime";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { prettyLines } from "./pretty-log.ts";

test("a line for people has the time, the level, the words and the fields", () => {
  const lines: string[] = [];
  const env = new VirtualProcess(new Scheduler({ seed: "1", startMs: Date.UTC(2026, 0, 1, 9, 30) }), "p");
  createLogger(env, "info", prettyLines({ write: (line) => lines.push(line) })).warn("Trying again", {
    object: "a/b",
  });
  expect(lines).toEqual(['09:30:00 WARN  Trying again object="a/b"\n']);
});
