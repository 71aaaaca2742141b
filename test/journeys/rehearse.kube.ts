import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createReader, READER_LIMIT_MS } from "./reader.ts";

const PAGE = "docs/how-to/rehearse-an-upgrade.md";

const reader = createReader();
afterAll(reader.close);

test(
  "rehearse-an-upgrade.md finds the budget that blocks, in a dump of forty clusters, and draws a report",
  async () => {
    // Exit codes say that machines would be disrupted. The first step is the second without pods, and the last is for a cluster of the reader.
    const blocked = await reader.page(PAGE, { from: 1, to: 2, mayFail: true });
    expect(blocked).toContain("PodDisruptionBudget shop-7 shop/checkout overridden");
    await reader.page(PAGE, { from: 2, to: 3, mayFail: true });
    const report = join(reader.root, "report.html");
    expect(existsSync(report)).toBe(true);
    expect(readFileSync(report, "utf8")).toContain("MachinePool default/shop-7-workers");
  },
  2 * READER_LIMIT_MS,
);
