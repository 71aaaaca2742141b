import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, normalize } from "node:path";
import { expect, test } from "vitest";
import { usageProblem } from "../../packages/cli/src/program.ts";
import { testShell } from "../../packages/cli/src/shell.fixture.ts";
import {
  blocksOf,
  commandsIn,
  pages,
  readPage,
  redirectionIn,
  REPOSITORY,
  type Words,
} from "./shown-commands.ts";

// The verbs of kubectl that the pages need; a typo is none of them.
const KUBECTL_VERBS = [
  "annotate",
  "apply",
  "auth",
  "create",
  "delete",
  "describe",
  "drain",
  "explain",
  "get",
  "kustomize",
  "label",
  "patch",
  "rollout",
  "scale",
  "wait",
];

const shownCommands = (page: string): readonly Words[] =>
  blocksOf(page)
    .filter(({ kind }) => kind === "commands")
    .flatMap(({ text }) => commandsIn(text));

/** The arguments of capstan, if a command is one of it. */
function capstanArguments([first, second, third, ...rest]: Words): Words | undefined {
  if (first === "npm" && second === "start") return ["up", ...(third === "--" ? rest : [])];
  if (first === "npx" && second === "capstan") return [...(third === undefined ? [] : [third]), ...rest];
  return first === "capstan" ? [second ?? "", ...(third === undefined ? [] : [third]), ...rest] : undefined;
}

function usageProblems(page: string): readonly string[] {
  return shownCommands(page).flatMap((command) => {
    const { words } = redirectionIn(command);
    const args = capstanArguments(words);
    const problem = args && usageProblem(testShell(), args);
    return problem === undefined ? [] : [`${words.join(" ")}: ${problem}`];
  });
}

/** The files that a command writes. */
function filesWritten(command: Words): readonly string[] {
  const { words, file } = redirectionIn(command);
  const [first, ...rest] = words;
  const copied = first === "cp" ? rest.at(-1) : undefined;
  return [file, copied === "." ? rest.at(0)?.split("/").at(-1) : copied].filter((one) => one !== undefined);
}

/** Neither a variable, a placeholder, standard input nor a device. */
const isPlain = (file: string): boolean => !/^[-$/]|[A-Z]{3}/.test(file);

test.each(pages())("%s: capstan has every verb and flag that is shown", (page) => {
  expect(usageProblems(page)).toEqual([]);
});

test("a verb or a flag that does not exist is found", () => {
  const shell = testShell();
  expect(usageProblem(shell, ["rollout", "status", "workers", "--watch=false"])).toBeUndefined();
  expect(usageProblem(shell, ["rollout", "statis", "workers"])).toContain("statis");
  expect(usageProblem(shell, ["plan", "--file", "a.yaml"])).toContain("--file");
  expect(usageProblem(shell, ["rollout", "status"])).toContain("pool");
});

test.each(pages())("%s: kubectl has every verb, and every file exists or is written before", (page) => {
  const written = new Set<string>();
  const problems: string[] = [];
  for (const command of shownCommands(page)) {
    const { words } = redirectionIn(command);
    const files = words.flatMap((word, index) => (words[index - 1] === "-f" ? [word] : [])).filter(isPlain);
    for (const file of files)
      if (!written.has(file) && !existsSync(join(REPOSITORY, file))) problems.push(`no file ${file}`);
    const verb = words
      .slice(1)
      .find((word, index) => !word.startsWith("-") && !["--kubeconfig", "-n"].includes(words[index] ?? ""));
    if (words[0] === "kubectl" && !KUBECTL_VERBS.includes(verb ?? "")) problems.push(words.join(" "));
    for (const file of filesWritten(command)) written.add(file);
  }
  expect(problems).toEqual([]);
});

test("git ignores every file that a page has its reader write", () => {
  const files = new Set(pages().flatMap(shownCommands).flatMap(filesWritten).filter(isPlain));
  expect(files).toContain("quay.kubeconfig");
  const patterns = readFileSync(join(REPOSITORY, ".gitignore"), "utf8").split("\n");
  const isIgnored = (file: string): boolean =>
    patterns.some((one) =>
      matchesGlob(`/${file}`, one.endsWith("/") ? `${one}**` : one.replace(/^\*/, "/*")),
    );
  expect([...files].filter((file) => !isIgnored(file))).toEqual([]);
});

test("README is one screen or two, and docs/README.md leads to every page", () => {
  expect(readPage("README.md").split("\n").length).toBeLessThan(82);
  const listed = new Set(
    [...readPage("docs/README.md").matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link),
  );
  const all = globSync(["*.md", "how-to/*.md"], { cwd: join(REPOSITORY, "docs") });
  expect(all.filter((page) => page !== "README.md" && !listed.has(page))).toEqual([]);
});

test.each(["README.md", "ARCHITECTURE.md", "docs/README.md", "examples/README.md"])(
  "%s: every link leads to a file",
  (page) => {
    const links = [...readPage(page).matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link);
    const missing = links
      .filter((link) => !/^https?:/.test(link))
      .map((link) => normalize(join(dirname(page), link)))
      .filter((path) => !existsSync(join(REPOSITORY, path)));
    expect(missing).toEqual([]);
  },
);

// Under one kubeconfig there may be machines of other pools: README and examples/README.md have their readers make some.
test.each(pages())("%s: a machine that is picked from a list is one of the page's own pool", (page) => {
  const picks = readPage(page)
    .split("\n")
    .filter((line) => /kubectl get azuremachinepoolmachines .*items\[\d\]/.test(line));
  expect(picks.filter((line) => !line.includes("-l cluster.x-k8s.io/pool-name="))).toEqual([]);
});
