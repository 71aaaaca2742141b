import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { statusText } from "./prototype-text.ts";

const DUE = "the next renewal is due at 2026-01-01T02:00:00Z";
const PARTS = { benefit: "", nowMs: Date.parse("2026-01-01T01:00:00Z"), columns: Infinity };
const saying = (reason: string, message: string) =>
  azureMachinePool({
    status: {
      conditions: [{ type: "LastOsCache", status: "True", reason, message, lastTransitionTime: "" }],
    },
  });

test("what comes next is not said twice", () => {
  const text = statusText(saying("NotDue", DUE), { next: DUE, ...PARTS });
  expect(text).toContain(`says           NotDue: ${DUE}\n`);
  expect(text).not.toContain("next    ");
  expect(statusText(saying("Waiting", "a rollout runs"), { next: DUE, ...PARTS })).toContain(
    `next           ${DUE}\n`,
  );
});

test("each version has its age, its size and its copies, and a narrow window shows these last", () => {
  const entry = { id: "/versions/1", version: "20251230.5.1", donor: "mp-0", state: "Active" } as const;
  const history = [
    { ...entry, createdAt: "2025-12-30T00:05:00Z", sizeGB: 30, replicas: 3, outOfServiceSeconds: 96 },
  ];
  const pool = azureMachinePool({ status: { nodePrototyping: { phase: "Idle", history } } });
  const linesOf = (columns: number): readonly string[] =>
    statusText(pool, { next: DUE, ...PARTS, columns })
      .split("\n")
      .map((line) => line.trimEnd());
  expect(linesOf(Infinity)).toContain(
    "20251230.5.1   Active   2025-12-30T00:05:00Z   2d    30 GB   3          mp-0    96 s",
  );
  expect(linesOf(70)).toContain("20251230.5.1   Active   2d    30 GB   3          mp-0    96 s");
});
