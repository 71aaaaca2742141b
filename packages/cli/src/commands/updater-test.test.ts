import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineUpdater, done, failed, serveUpdater, type Updater } from "@capstan/updater";
import { afterAll, expect, test } from "vitest";
import { SELF_SIGNED } from "../../../env/src/real/self-signed.fixture.ts";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "updater-test-"));
writeFileSync(join(folder, "tls.crt"), SELF_SIGNED.cert);
writeFileSync(join(folder, "tls.key"), SELF_SIGNED.key);
afterAll(() => rmSync(folder, { recursive: true }));

/** Serves an updater and runs `capstan updater test` with its address. */
async function tested(updater: Updater, ...args: readonly string[]) {
  const server = await serveUpdater(updater, { tlsFolder: folder, port: 0, host: "127.0.0.1" });
  const shell = testShell();
  const url = `https://localhost:${server.port}`;
  const code = await run(["updater", "test", url, "--ca", join(folder, "tls.crt"), ...args], shell);
  await server.close();
  return { code, out: shell.written.out };
}

const honest = defineUpdater({
  name: "honest",
  canUpdate: () => [],
  update: () => failed("no such machine"),
});
const liar = defineUpdater({ name: "liar", canUpdate: () => [], update: () => done() });

test("an updater of the SDK passes over TLS, huge bodies included", async () => {
  const { code, out } = await tested(honest);
  expect(out).toMatch(/\n68 passed, 0 failed\n$/);
  expect(code).toBe(0);
});

test("an updater that is done with anything fails, with exit code 1, also as JSON", async () => {
  const { code, out } = await tested(liar, "-o", "json");
  expect(code).toBe(1);
  const { isPassed, results } = JSON.parse(out) as {
    isPassed: boolean;
    results: { isPassed: boolean; problem?: string }[];
  };
  expect(isPassed).toBe(false);
  expect(results.filter((one) => !one.isPassed).map(({ problem }) => problem)).toEqual([
    expect.stringContaining("controllers would believe it"),
    expect.stringContaining("controllers would believe it"),
  ]);
});
