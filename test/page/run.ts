/** `npm run test:page`: the page in a real Chromium, on a live `capstan up`. Exit code 3 when there is no Chromium. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { chromiumPath } from "./browser.ts";

const MISSING = 3;

if (chromiumPath() === undefined) {
  console.error(
    "test:page: there is no Chromium; install Debian's package chromium, or set CHROMIUM to its path",
  );
  process.exit(MISSING);
}
const vitest = join(import.meta.dirname, "..", "..", "node_modules", "vitest", "vitest.mjs");
const flags = ["run", "--project", "page", ...process.argv.slice(2)];
const run = spawnSync(process.execPath, [vitest, ...flags], { stdio: "inherit" });
process.exit(run.status ?? 1);
