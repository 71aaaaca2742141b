import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CommandError } from "../command-error.ts";
import { testShell } from "../shell.fixture.ts";
import { contentsOf, removeContents } from "./contents.ts";
import { openDataDirectory } from "./data-directory.ts";
import { holderOf } from "./holder.ts";
import { isLocked, takeLock } from "./lock.ts";
import { explained } from "./problems.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-directory-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (name: string): string => mkdtempSync(join(root, name));

describe("the lock", () => {
  test("is held by one process at a time, and is free afterwards", () => {
    const folder = newFolder("lock");
    expect(isLocked(folder)).toBe(false);
    const release = takeLock(folder);
    expect([isLocked(folder), takeLock(folder)]).toEqual([true, undefined]);
    release?.();
    expect(isLocked(folder)).toBe(false);
    const again = takeLock(folder);
    expect(again).toBeDefined();
    again?.();
  });
});

describe("a data directory", () => {
  test("reports its holder, and no holder after a crash", () => {
    const folder = join(root, "holder");
    const shell = testShell({ pid: 12 });
    const first = openDataDirectory(folder, shell);
    expect([first.isNew, holderOf(folder)]).toEqual([true, { pid: 12, since: expect.any(String) as string }]);
    first.announce({ url: "https://127.0.0.1:1" });
    first.announce({ azureUrl: "https://127.0.0.1:2" });
    expect(holderOf(folder)).toMatchObject({
      pid: 12,
      url: "https://127.0.0.1:1",
      azureUrl: "https://127.0.0.1:2",
    });
    expect(() => openDataDirectory(folder, shell)).toThrow(
      /is held by pid 12 since .*, https:\/\/127\.0\.0\.1:1; stop it/,
    );
    first.release();
    writeFileSync(join(folder, "server.json"), '{"pid":1,"since":"long ago"}');
    expect(holderOf(folder)).toBeUndefined();
    const second = openDataDirectory(folder, testShell({ pid: 13 }));
    expect([second.isNew, holderOf(folder)]).toMatchObject([false, { pid: 13 }]);
    second.release();
    expect(readFileSync(join(folder, "format"), "utf8")).toBe("1\n");
  });

  test("that a crash left before it had a format is still Capstan's", () => {
    const folder = newFolder("unfinished");
    takeLock(folder)?.();
    const directory = openDataDirectory(folder, testShell());
    expect(directory.isNew).toBe(true);
    directory.release();
  });
});

describe("the contents", () => {
  const OURS = [
    "azure/azure.db",
    "azure/azure.db-wal",
    "azure/token",
    "clock.json",
    "clusters/east/ca.crt",
    "clusters/east/ca.key",
    "clusters/east/kubeconfig.tmp",
    "clusters/east/objects.db",
    "clusters/east/objects.db-wal",
    "format",
    "kubeconfig",
    "lock.db",
    "serving/tls.key",
  ];
  const filled = (name: string, files: readonly string[]): string => {
    const folder = newFolder(name);
    for (const file of files) {
      mkdirSync(join(folder, file, ".."), { recursive: true });
      writeFileSync(join(folder, file), "");
    }
    return folder;
  };

  test("are removed with their folder when all of them are Capstan's", () => {
    const folder = filled("ours", OURS);
    expect(contentsOf(folder).foreign).toEqual([]);
    removeContents(folder);
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    "notes.txt",
    "clusters/readme",
    "clusters/East/objects.db",
    "clusters/east/objects.db.bak",
    "clusters/east/deep/ca.key",
    "serving/objects.db",
    "azure/objects.db",
    "other/format",
  ])("do not include %s, which another program wrote", (file) => {
    const folder = filled("foreign", [...OURS, file]);
    expect(contentsOf(folder).foreign).toHaveLength(1);
    expect(() => removeContents(folder)).toThrow(/ENOTEMPTY/);
    expect(existsSync(join(folder, file))).toBe(true);
  });

  test("never include the target of a link", () => {
    const elsewhere = filled("elsewhere", ["ca.key"]);
    const folder = filled("links", ["format"]);
    symlinkSync(elsewhere, join(folder, "serving"));
    symlinkSync(join(elsewhere, "ca.key"), join(folder, "kubeconfig"));
    expect(contentsOf(folder)).toEqual({ ours: ["format"], foreign: ["kubeconfig", "serving"] });
  });
});

describe("an error of a data directory becomes a message", () => {
  test.each<[object, string]>([
    [
      { code: "EACCES" },
      "/data cannot be written to; make it writable for you, or choose another with --data-dir",
    ],
    [
      { code: "EROFS" },
      "/data cannot be written to; make it writable for you, or choose another with --data-dir",
    ],
    [{ code: "ENOSPC" }, "/data is on a disk that is full; make room, then try again"],
    [{ code: "ERR_SQLITE_ERROR", errcode: 13 }, "/data is on a disk that is full; make room, then try again"],
    [
      { code: "ERR_SQLITE_ERROR", errcode: 1032 },
      "/data cannot be written to; make it writable for you, or choose another with --data-dir",
    ],
    [
      { code: "ERR_SQLITE_ERROR", errcode: 26 },
      "/data has a lock.db that Capstan did not write; choose another with --data-dir",
    ],
  ])("%j", (error, sentence) => {
    const found = explained(Object.assign(new Error("x"), error), "/data");
    expect(found).toBeInstanceOf(CommandError);
    expect((found as Error).message).toBe(sentence);
  });

  test("but not if it is another error", () => {
    const error = new TypeError("a defect");
    expect(explained(error, "/data")).toBe(error);
  });
});
