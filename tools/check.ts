/** `npm run check`: the one quality gate. Two steps run at a time; the output of a failed step is printed in full. */
import { runStep, type Step, type StepResult } from "./steps.ts";

const STEPS: readonly Step[] = [
  { name: "types", command: ["tsc", "-p", "."] },
  { name: "types of the page", command: ["tsc", "-p", "packages/page"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--quiet"] },
  { name: "architecture", command: ["vitest", "run", "--project", "unit", "test/architecture"] },
  { name: "dead code and dependencies", command: ["knip"] },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "generated files", command: ["node", "tools/generate.ts", "--check"] },
  { name: "commit subjects", command: ["node", "tools/check-commits.ts"] },
];

const AT_ONCE = 2;

const waiting = [...STEPS];
const results: StepResult[] = [];
const work = async (): Promise<void> => {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    const result = await runStep(step);
    results.push(result);
    console.log(`${result.ok ? "ok  " : "FAIL"}  ${result.name} (${result.seconds.toFixed(1)} s)`);
    const isShown = !result.ok || result.output.startsWith("skipped");
    if (isShown) console.log(result.output.trimEnd().replace(/^/gm, "      "));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));

const failed = results.filter(({ ok }) => !ok).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
