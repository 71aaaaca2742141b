import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

/** How a run of tests ended. */
export interface TestOutcome {
  readonly passed: number;
  readonly failed: number;
  /** One text per failure: which test, and what it saw. */
  readonly failures: readonly string[];
}

/** What vitest's JSON reporter writes, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

const FAILURE_LINES = 25;

/** Reads the report of a run; a run that ended before it wrote one has no tests. */
export function readOutcome(path: string): TestOutcome {
  if (!existsSync(path)) return { passed: 0, failed: 0, failures: [] };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(path, "utf8")) as Report;
  const failures = testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(process.cwd(), name);
      const failed = assertionResults.filter(({ status }) => status === "failed");
      // A file that does not load has no tests, only a message.
      if (failed.length === 0) return [`${file}\n${excerpt(message)}`];
      return failed.map(
        ({ fullName, failureMessages }) =>
          `${file} > ${fullName}\n${excerpt((failureMessages ?? []).join("\n"))}`,
      );
    });
  return { passed: numPassedTests, failed: numFailedTests, failures };
}

function excerpt(text: string): string {
  const lines = text.split("\n");
  const rest = lines.length - FAILURE_LINES;
  return [...lines.slice(0, FAILURE_LINES), ...(rest > 0 ? [`… ${rest} more lines above`] : [])]
    .map((line) => `    ${line}`)
    .join("\n");
}
