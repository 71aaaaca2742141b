import { describe, expect, test } from "vitest";
import { subjectProblems } from "../../tools/commit-subject.ts";

describe("the subject of a commit", () => {
  test.each(["pools: keep the oldest machine", "azure-sim: refuse two writes", "api, cli: print one table"])(
    "may be %j",
    (subject) => expect(subjectProblems(subject)).toEqual([]),
  );

  test("has at most 72 characters", () => {
    const subject = `pools: ${"k".repeat(65)}`;
    expect(subjectProblems(subject)).toEqual([]);
    expect(subjectProblems(`${subject}k`)).toEqual(["73 characters, at most 72 are allowed"]);
  });

  test.each(["Keep the oldest machine", "Pools: keep the oldest machine", "pools:keep it", "pools: "])(
    "starts with an area, unlike %j",
    (subject) => expect(subjectProblems(subject)).toEqual(['no area at the start, such as "pools: "']),
  );

  test("has no full stop at the end", () => {
    expect(subjectProblems("pools: keep the oldest machine.")).toEqual(["a full stop at the end"]);
  });
});
