import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { INSPECT_SCRIPT } from "../../../packages/plan/src/index.ts";

const BOOTED_S = 1_800_000_000;
const NODE = {
  "/etc/machine-id": "a\n",
  "/etc/ssh/ssh_host_rsa_key": "key\n",
  "/etc/ssh/sshd_config": "config\n",
  "/etc/kubernetes/kubelet.conf": "server: https://a\n",
  "/var/lib/kubelet/pki/kubelet-client-current.pem": "key\n",
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** What the script prints on a machine where some files are older than its boot. */
function inspected(old: readonly string[], { boots = 1, more = {} } = {}): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), "capstan-inspect-"));
  folders.push(root);
  const journal = `#!/bin/sh\nfor boot in $(seq ${boots}); do echo "$boot"; done\n`;
  const files = {
    ...NODE,
    ...more,
    "/proc/stat": `cpu 1\nbtime ${BOOTED_S}\n`,
    "/sys/bin/journalctl": journal,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    const atS = old.includes(path) ? BOOTED_S - 86_400 : BOOTED_S + 5;
    utimesSync(join(root, path), atS, atS);
  }
  chmodSync(join(root, "/sys/bin/journalctl"), 0o755);
  const PATH = `${join(root, "sys/bin")}:${process.env["PATH"] ?? ""}`;
  const output = execFileSync("sh", ["-c", INSPECT_SCRIPT], { env: { PATH, ROOT: root }, encoding: "utf8" });
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(root, ""));
}

test("a machine whose identity is younger than its only boot is sound", () => {
  expect(inspected(["/etc/ssh/sshd_config"])).toEqual([]);
});

test("files of an identity that are older than the boot come from the image", () => {
  expect(inspected(Object.keys(NODE)).toSorted()).toEqual([
    "/etc/kubernetes/kubelet.conf comes from the image",
    "/etc/machine-id comes from the image",
    "/etc/ssh/ssh_host_rsa_key comes from the image",
    "/var/lib/kubelet/pki/kubelet-client-current.pem comes from the image",
  ]);
});

test("a machine that has removed the identity itself, and restarted, says so", () => {
  expect(inspected([], { boots: 2, more: { "/etc/capstan/identity-of": "id\n" } })).toEqual([
    "the identity of the donor was removed at its first boot, and not before",
    "it has booted 2 times",
  ]);
});
