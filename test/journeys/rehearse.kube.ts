import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createReader, READER_LIMIT_MS } from "./reader.ts";

const reader = createReader();
afterAll(reader.close);

test(
  "rehearse-an-upgrade.md finds the budget that blocks, in a dump of forty clusters, and draws a report",
  async () => {
    // The exit codes of these commands say that machines would be disrupted. The last step is for a cluster of the reader.
    const printed = await reader.page("docs/how-to/rehearse-an-upgrade.md", { to: 3, mayFail: true });
    expect(printed).toContain("PodDisruptionBudget shop-7 shop/checkout overridden");
    const report = join(reader.root, "report.html");
    expect(existsSync(report)).toBe(true);
    expect(readFileSync(report, "utf8")).toContain("MachinePool default/shop-7-workers");
  },
  READER_LIMIT_MS,
);
