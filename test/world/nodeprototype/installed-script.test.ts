/** What a donor is asked, run for real under `sh` on a tree of files, and by a simulated guest. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  INSTALLED_SCRIPT,
  installedIn,
  NOT_KNOWN,
} from "../../../packages/plan/src/images/scripts/installed-script.ts";
import { runScript } from "../../../packages/sim/src/guests/run-command.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Files = Readonly<Record<string, string>>;

/** The output of the script under `sh` on a tree of these files. */
function outputOn(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), "capstan-installed-"));
  folders.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const before = readdirSync(root, { recursive: true });
  const env = { ...process.env, ROOT: root };
  const output = execFileSync("sh", ["-c", INSTALLED_SCRIPT], { env, encoding: "utf8" });
  expect(readdirSync(root, { recursive: true })).toEqual(before);
  return output;
}

const UBUNTU: Files = {
  "/var/lib/dpkg/status": "Package: openssl\nVersion: 3.0.13-0ubuntu3.4\n",
  "/var/log/apt/history.log": "Start-Date: 2026-01-17  06:10:01\nUpgrade: openssl\n",
  "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
};

test("a package that was installed changes the answer, and the identity of the machine does not", () => {
  const before = installedIn(outputOn(UBUNTU));
  expect(before.packages).toMatch(/^[0-9a-f]{16}$/);
  expect(before.updates).toMatch(/^[0-9a-f]{16}$/);
  expect(installedIn(outputOn({ ...UBUNTU, "/etc/machine-id": "another\n" }))).toEqual(before);
  const patched = { ...UBUNTU, "/var/lib/dpkg/status": "Package: openssl\nVersion: 3.0.13-0ubuntu3.5\n" };
  expect(installedIn(outputOn(patched)).packages).not.toBe(before.packages);
  expect(installedIn(outputOn(patched)).updates).toBe(before.updates);
});

test.each<[string, Files, { packages: boolean; updates: boolean }]>([
  ["of the Red Hat family", { "/var/lib/rpm/rpmdb.sqlite": "rpm" }, { packages: true, updates: false }],
  [
    "whose log was rotated",
    { ...UBUNTU, "/var/log/apt/history.log": "" },
    { packages: true, updates: false },
  ],
])("a machine %s tells what it has", (_, files, expected) => {
  const { packages, updates } = installedIn(outputOn(files));
  expect({ packages: packages !== "", updates: updates !== "" }).toEqual(expected);
});

test("a machine with a package database that is not known tells nothing", () => {
  expect(installedIn(outputOn({ "/etc/os-release": "ID=flatcar\n" }))).toEqual(NOT_KNOWN);
});

test("a simulated guest answers with the same files in the same form", () => {
  const read = (path: string): string | undefined => UBUNTU[path];
  const disk = { read, write: () => undefined };
  const { output, exitCode } = runScript(INSTALLED_SCRIPT, { disk, vmId: "1" });
  const pathsIn = (text: string): string[] =>
    [...text.matchAll(/^[0-9a-f]{64} {2}(\S+)$/gm)].map(([, path]) => path ?? "");
  expect(exitCode).toBe(0);
  expect(pathsIn(output)).toEqual(pathsIn(outputOn(UBUNTU)));
});
