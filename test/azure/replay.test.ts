import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

function story(seed: string): { hash: string; booted: string[] } {
  const script = fileURLToPath(import.meta.resolve("./story.ts"));
  const text = execFileSync(process.execPath, [script, seed], { encoding: "utf8" });
  return JSON.parse(text) as { hash: string; booted: string[] };
}

test("the same seed gives the same journal in two processes, and another seed another", () => {
  const first = story("one");
  expect(first.booted.length).toBe(5);
  expect(story("one")).toEqual(first);
  const other = story("two");
  expect(other.hash).not.toBe(first.hash);
  expect(other.booted).not.toEqual(first.booted);
});
