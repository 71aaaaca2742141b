import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { statusText } from "./prototype-text.ts";

const DUE = "the next renewal is due at 2026-01-01T02:00:00Z";
const saying = (reason: string, message: string) =>
  azureMachinePool({
    status: {
      conditions: [{ type: "LastOsCache", status: "True", reason, message, lastTransitionTime: "" }],
    },
  });

test("what comes next is not said twice", () => {
  const text = statusText(saying("NotDue", DUE), { next: DUE, benefit: "" });
  expect(text).toContain(`says           NotDue: ${DUE}\n`);
  expect(text).not.toContain("next    ");
  expect(statusText(saying("Waiting", "a rollout runs"), { next: DUE, benefit: "" })).toContain(
    `next           ${DUE}\n`,
  );
});
