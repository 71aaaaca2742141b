import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readCredentialFile } from "./credential-file.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-credentials-"));
const folder = join(root, "team-a");
afterAll(() => rmSync(root, { recursive: true }));

mkdirSync(join(folder, "..data"), { recursive: true });
writeFileSync(join(folder, "..data", "cert.pem"), "certificate");
writeFileSync(join(root, "other.pem"), "other");
writeFileSync(join(folder, "long"), "x".repeat(64 * 1024 + 1));
symlinkSync(join("..data", "cert.pem"), join(folder, "cert.pem"));
symlinkSync("/dev/zero", join(folder, "zero"));
symlinkSync(join("..", "other.pem"), join(folder, "other.pem"));

test("a file is read through the links by which Kubernetes mounts a Secret", async () => {
  expect(await readCredentialFile(join(folder, "cert.pem"), folder)).toBe("certificate");
});

test.each([
  ["a link to a device", "zero", "leads out of"],
  ["a link to a file of another folder", "other.pem", "leads out of"],
  ["a path that climbs out", "../other.pem", "leads out of"],
  ["a folder", "..data", "is not a regular file"],
  ["a long file", "long", "has more than 65536 bytes"],
])("%s is not read", async (_, name, why) => {
  await expect(readCredentialFile(`${folder}/${name}`, folder)).rejects.toThrow(why);
});

test("a device of the folder is not read", async () => {
  await expect(readCredentialFile("/dev/zero", "/dev")).rejects.toThrow("/dev/zero is not a regular file");
});
