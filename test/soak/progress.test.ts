import { describe, expect, test } from "vitest";
import { exhaustiveUnits, type Unit } from "./plan.ts";
import { checkProgress, passedBefore, passedLine } from "./progress.ts";

const exhaustive = exhaustiveUnits({ sampled: [], deep: ["a.deep.ts", "b.deep.ts"], kube: ["c.kube.ts"] });
const [a, c] = exhaustive as readonly [Unit, Unit, Unit];
const commit = "c1";

describe("a soak that is resumed", () => {
  test("knows the files that passed before, whatever else passed", () => {
    const lines = [a, c, { ...a, file: "gone.deep.ts" }].map((unit) => passedLine(unit, commit));
    expect(passedBefore(lines.join(""), { exhaustive, commit })).toEqual([a, c]);
  });

  test("runs again what passed at another commit, and what has the same name in another project", () => {
    expect(passedBefore(passedLine(a, "c0") ?? "", { exhaustive, commit })).toEqual([]);
    expect(passedBefore(passedLine({ ...a, project: "kube" }, commit) ?? "", { exhaustive, commit })).toEqual(
      [],
    );
  });

  test("runs again what was being written when the soak ended", () => {
    const text = `${passedLine(a, commit)}${passedLine(c, commit)?.slice(0, -5)}`;
    expect(passedBefore(text, { exhaustive, commit })).toEqual([a]);
    expect(() => checkProgress("soak.jsonl", text)).not.toThrow();
  });

  test("does not record storms with fresh seeds", () => {
    expect(passedLine({ ...a, seeds: [1, 2] }, commit)).toBeUndefined();
  });

  test("refuses a file that no soak has written", () => {
    expect(() => checkProgress("notes.txt", `${passedLine(a, commit)}hello\n`)).toThrow(
      "--resume notes.txt: line 2 is not one that a soak has written; name another file",
    );
  });
});
