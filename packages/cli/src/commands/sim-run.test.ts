import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-sim-run-"));
  writeFileSync(join(folder, "good.yaml"), SMALL);
  writeFileSync(join(folder, "vain.yaml"), `${SMALL}  - until: { nodesReady: 3, within: 10m }\n`);
  writeFileSync(join(folder, "bad.yaml"), "steps:\n  - resize: { scaleSet: pool, to: -1 }\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SMALL = `
name: Two machines
steps:
  - createScaleSet: { name: pool, instances: 2 }
  - until: { nodesReady: 2, within: 1h }
`;

async function capstan(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const shell = testShell({ workingFolder: folder });
  const code = await run(["sim", "run", ...args], shell);
  return { code, ...shell.written };
}

describe("capstan sim run", () => {
  test("prints the story and its summary, the same for the same seed", async () => {
    const first = await capstan("good.yaml", "--seed", "7");
    expect(first.code).toBe(0);
    expect(first.out).toContain("create scale set pool with 2 machines for workload");
    expect(first.out).toMatch(/\nPASSED: [^\n]+\n$/);
    const whole = await capstan("good.yaml", "--seed", "7", "-v");
    expect(whole.out).toMatch(/^PUT virtualMachineScaleSets +1 +0$/m);
    expect(whole.out.length).toBeGreaterThan(first.out.length);
    expect(await capstan("good.yaml", "--seed", "7")).toEqual(first);
    expect((await capstan("good.yaml", "--seed", "8")).out).not.toBe(first.out);
  });

  test("refuses a scenario that names a file without an end", async () => {
    writeFileSync(join(folder, "endless.yaml"), "name: Endless\nsteps:\n  - apply: { file: /dev/zero }\n");
    const { code, err } = await capstan("endless.yaml");
    expect([code, err]).toEqual([1, expect.stringContaining("the file /dev/zero has more than 128.0 MiB")]);
  });

  test("prints the same as JSON", async () => {
    const { out } = await capstan("good.yaml", "-o", "json");
    const { summary, story, command } = JSON.parse(out) as Record<string, Record<string, unknown>>;
    expect(summary).toMatchObject({ scenario: "Two machines", seed: "1", violations: 0 });
    expect(story).not.toHaveLength(0);
    expect(command).toBe("npx capstan sim run good.yaml --seed 1");
  });

  test("fails with the command that replays the failure", async () => {
    const first = await capstan("vain.yaml", "--seed", "3", "--faults", "none");
    expect(first.code).toBe(1);
    expect(first.out).toMatch(/\nFAILED: steps-succeed, timed out: nodesReady is 2, not 3\n$/);
    const [, command = ""] = /replay it with:\n {2}npx capstan sim run (.*)\n/.exec(first.out) ?? [];
    expect(command).toBe("vain.yaml --seed 3 --faults none");
    expect(await capstan(...command.split(" "))).toEqual(first);
  });

  test.each([
    [["bad.yaml"], "bad.yaml:2:35: steps[0].resize.to: -1: must be a whole number"],
    [["none.yaml"], "none.yaml:1:1: the file does not exist"],
    [["good.yaml", "--faults", "arm-throttld"], "did you mean arm-throttled?"],
  ])("reports what is wrong with %j", async (args, expected) => {
    const { code, err } = await capstan(...args);
    expect([code, err]).toEqual([1, expect.stringContaining(expected)]);
  });
});
