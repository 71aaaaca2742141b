import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createReader } from "./reader.ts";
import { type Block, blocksOf, pages, REPOSITORY } from "./shown-commands.ts";
import { outputsOf, scriptOf, staleOutput, stepsOf } from "./shown-outputs.ts";

const reader = createReader();
afterAll(reader.close);

/** Who compares the outputs of a page: in the gate or, where that takes too long, in the soak. */
const COMPARED_BY: Readonly<Record<string, string>> = {
  "docs/scenarios.md": "test/journeys/shown-outputs.test.ts",
  "docs/tutorial.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/adopt-an-aks-cluster.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/bring-your-own-managedcluster.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/cache-node-images.md": "test/journeys/image-caching.kube.ts",
  "docs/how-to/drain.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/management-cluster.md": "test/kube/manager.kube.ts",
  "docs/how-to/plan-a-change.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/rehearse-an-upgrade.md": "test/journeys/rehearse.kube.ts",
  "docs/how-to/replace-a-machine.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/scale-a-pool.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/update-in-place.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/use-any-aks-feature.md": "test/journeys/how-to.kube.ts",
  "docs/how-to/upgrade-a-pool.md": "test/journeys/how-to.kube.ts",
};

test("scenarios.md shows what sim run prints", async () => {
  // The commands of the first step are those of the others.
  expect(await reader.page("docs/scenarios.md", { from: 1, mayFail: true })).toContain("FAILED: ");
});

describe("every output that a page shows", () => {
  test("follows commands that a journey runs", () => {
    const strays = pages().flatMap((page) => {
      const compared = new Set(stepsOf(page).map(({ shown }) => shown?.line));
      return blocksOf(page)
        .filter(({ kind, line }) => kind === "output" && !compared.has(line))
        .map(({ line }) => `${page}:${line}`);
    });
    expect(strays).toEqual([]);
  });

  test("is compared by a journey that names the page", () => {
    const showing = pages().filter((page) => stepsOf(page).some(({ shown }) => shown));
    expect(showing.toSorted()).toEqual(Object.keys(COMPARED_BY).toSorted());
    const silent = Object.entries(COMPARED_BY).filter(
      ([page, journey]) => !readFileSync(join(REPOSITORY, journey), "utf8").includes(page),
    );
    expect(silent).toEqual([]);
  });

  test("is an illustration only where no command prints it so", () => {
    const illustrations = pages().flatMap((page) =>
      blocksOf(page)
        .filter(({ kind }) => kind === "illustration")
        .map(({ text }) => `${page}: ${/\S+/.exec(text)?.[0]}`),
    );
    expect(illustrations).toEqual([
      "docs/scenarios.md: arm-throttled",
      "docs/azure-sim.md: x-ms-ratelimit-remaining-subscription-reads:",
      // Machines that exist for minutes, figures of a slow run, and how many nodes failed before the roll-back.
      "docs/how-to/cache-node-images.md: ├──",
      "docs/how-to/cache-node-images.md: MACHINES",
      "docs/how-to/cache-node-images.md: 3",
      // What a user types on clusters of their own, and a tree on a terminal in the middle of a rollout.
      "docs/how-to/rehearse-an-upgrade.md: kubectl",
      "docs/how-to/upgrade-a-pool.md: AzureMachinePool",
    ]);
  });
});

describe("a shown output", () => {
  const block = (text: string): Block => ({ kind: "output", text, line: 40, language: "" });
  const compare = (shown: string, real: string): string | undefined =>
    staleOutput("page.md", block(shown), real);

  test("may have other times, ages, ids, ports and widths of columns than the real one", () => {
    const shown = [
      "NAME        AGE   BOOT",
      "workers-5   22m   72fb103c-dc29-43eb-ac58-27abe68740d5",
      "2026-11-16T07:09:18.241Z   v1-ce595e9c7b090a13e02f11197096d50d, after 323 s, pod web-gbr8ncfpgd-2mnd9 of workers00000d",
      "https://127.0.0.1:6443, image 20261118.48.1 of prototypes_mole_b5c1deda",
    ];
    const real = [
      "NAME         AGE     BOOT",
      "workers-13   3m22s   8765a097-72b7-4c73-9a37-1f5ce5a2f10f",
      "2027-01-02T03:04:05Z   v1-5ec0cced46fbdf63fa85a70ec9a50f00, after 1 s, pod web-5fcxz-zb8rn of workers00001z",
      "https://127.0.0.1:39201, image 20270102.4.12 of prototypes_mole_48b89a1b",
    ];
    expect(compare(shown.join("\n"), real.join("\n"))).toBeUndefined();
  });

  test("that is stale is named with its file and its line, and with what the command printed", () => {
    const stale = compare("a 1\nb 2\nc 3\n", "a 1\nb 4\nc 3\n");
    expect(stale).toMatch(/^page\.md:41 shows\n- b 2\n\+ b 4\nand all of the output is\na 1\nb 4\nc 3\n/);
    expect(compare("a\n", "a\nb\n")).toMatch(/^page\.md:41 shows\n- nothing more\n\+ b\n/);
    expect(compare("a\nb\n", "a\n")).toMatch(/^page\.md:41 shows\n- b\n\+ nothing more\n/);
    expect(compare("v1.33.5\n", "v1.34.1\n")).toBeDefined();
    expect(compare("3 of 3 available\n", "2 of 3 available\n")).toBeDefined();
  });

  test("leaves out lines where it has an ellipsis, at the beginning, between others and at the end", () => {
    const real = "a\nb\nc\nd\ne\n";
    for (const shown of ["…\nd\ne\n", "a\n…\nd\n…\n", "a\nb\n…\n", "…\n"])
      expect(compare(shown, real)).toBeUndefined();
    expect(compare("…\nd\n", real)).toMatch(/^page\.md:42 shows\n- nothing more\n\+ e\n/);
    expect(compare("a\n…\nd\nx\n…\n", real)).toMatch(/^page\.md:43 shows\n- x\n\+ e\n/);
  });

  test("may have other lines of progress, but not about another object", () => {
    const real = "Waiting for MachineDeployment default/a: 1 of 3 up to date\ndone\n";
    expect(compare("done\n", real)).toBeUndefined();
    expect(
      compare("Waiting for MachineDeployment default/a: 2 of 3 up to date, 1 ready\ndone\n", real),
    ).toBeUndefined();
    expect(compare("Waiting for AzureMachinePool default/a: 1 of 3\ndone\n", real)).toMatch(
      /^page\.md:40 shows/,
    );
  });

  test("is told apart from those of the commands before and after it", async () => {
    const steps = ["X=1; echo one", "echo $X >&2; echo two\n", ": nothing\n"].map((commands) => ({
      commands,
    }));
    expect(outputsOf(await reader.shell(scriptOf(steps)))).toEqual(["one\n", "1\ntwo\n", ""]);
  });
});
