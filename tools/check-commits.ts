/** A step of `npm run check`: subjects of commits start with their area, have at most 72 characters and no full stop. */
import { execFileSync } from "node:child_process";
import { subjectProblems } from "./commit-subject.ts";

// Subjects up to this commit follow no rule.
const LAST_WITHOUT_RULE = "868ebda110dacda9e2e0fe8b6a481f831c422411";

function git(...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}

const log = git("log", "--no-merges", "--format=%h %s", `${LAST_WITHOUT_RULE}..HEAD`);
if (log === undefined) {
  console.log(`skipped: this clone does not have commit ${LAST_WITHOUT_RULE.slice(0, 7)}`);
} else {
  const problems = log
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const subject = line.slice(line.indexOf(" ") + 1);
      return subjectProblems(subject).map((problem) => `${line}: ${problem}`);
    });
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
