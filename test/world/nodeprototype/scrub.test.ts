import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { INSTALL_SCRIPT, SCRUB_SCRIPT } from "../../../packages/plan/src/images/scrub-script.ts";
import { isCopyOfAnother, scrub } from "../../../packages/sim/src/guests/identity.ts";
import { runScript } from "../../../packages/sim/src/guests/run-command.ts";

const DONOR = "11111111-1111-1111-1111-111111111111";
const COPY = "22222222-2222-2222-2222-222222222222";

/** What a node has on its disk: its identity, what it was given, and what copies should keep. */
const FILES: Readonly<Record<string, string>> = {
  "/etc/capstan/identity-of": `${DONOR}\n`,
  "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
  "/etc/hostname": "mp000000\n",
  "/etc/hosts": "127.0.0.1 localhost\n",
  "/etc/ssh/ssh_host_ed25519_key": "key\n",
  "/etc/ssh/ssh_host_rsa_key.pub": "key\n",
  "/etc/ssh/sshd_config": "PermitRootLogin no\n",
  "/etc/kubernetes/kubelet.conf": "server: https://a\n",
  "/etc/kubernetes/pki/ca.crt": "authority\n",
  "/etc/kubernetes-version": "v1.33.5\n",
  "/etc/cni/net.d/10-calico.conflist": "{}\n",
  "/etc/patch": "1.2.3\n",
  "/var/lib/kubelet/pki/kubelet-client-current.pem": "key\n",
  "/var/lib/kubelet/config.yaml": "kind: KubeletConfiguration\n",
  "/var/lib/kubelet/image_manager/pulled/record": "{}\n",
  "/var/lib/cloud/data/result.json": "{}\n",
  "/var/lib/cloud/instances/a/user-data.txt": "token\n",
  "/var/lib/waagent/ovf-env.xml": "secret\n",
  "/var/lib/containerd/images.json": "[]\n",
  "/var/lib/dpkg/security-updates": "30",
  "/var/log/pods/a/b.log": "line\n",
  "/var/log/syslog": "line\n",
  "/var/tmp/left": "over\n",
  "/usr/bin/kubeadm": "kubeadm\n",
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Writes the files to a folder, beside the id that the firmware shows. */
function materialised(vmId: string): string {
  const root = mkdtempSync(join(tmpdir(), "capstan-scrub-"));
  folders.push(root);
  for (const [path, content] of Object.entries({ ...FILES, "/sys/class/dmi/id/product_uuid": `${vmId}\n` })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** The files of a folder, without those of the firmware. */
function filesIn(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );
  const entries = paths.map((path) => [`/${path}`, readFileSync(join(root, path), "utf8")] as const);
  return Object.fromEntries(entries.filter(([path]) => !path.startsWith("/sys/")));
}

function runScrub(root: string): void {
  execFileSync("sh", ["-c", SCRUB_SCRIPT], { env: { PATH: process.env["PATH"], ROOT: root } });
}

/** A simulated disk. */
function diskWith(given: Readonly<Record<string, string>>) {
  const files = new Map(Object.entries(given));
  const list = (folder: string): string[] =>
    [...files.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`)).sort();
  return {
    files,
    list,
    read: (path: string) => files.get(path),
    write: (path: string, content: string) => void files.set(path, content),
    remove: (path: string) => {
      for (const name of list(path)) files.delete(name);
    },
  };
}

test("the script removes on a real disk exactly what the simulated guest removes", () => {
  const root = materialised(COPY);
  runScrub(root);
  const disk = diskWith(FILES);
  scrub(disk, COPY);
  expect(filesIn(root)).toEqual(Object.fromEntries(disk.files));
  expect(Object.keys(filesIn(root)).sort()).toEqual([
    "/etc/capstan/identity-of",
    "/etc/hosts",
    "/etc/kubernetes-version",
    "/etc/machine-id",
    "/etc/patch",
    "/etc/ssh/sshd_config",
    "/usr/bin/kubeadm",
    "/var/lib/containerd/images.json",
    "/var/lib/dpkg/security-updates",
    "/var/lib/kubelet/image_manager/pulled/record",
  ]);
});

test("the script leaves the donor itself alone, and a copy that it has cleaned", () => {
  const donor = materialised(DONOR);
  runScrub(donor);
  expect(filesIn(donor)).toEqual(FILES);
  const copy = materialised(COPY);
  runScrub(copy);
  writeFileSync(join(copy, "etc/machine-id"), "its own\n");
  runScrub(copy);
  expect(filesIn(copy)["/etc/machine-id"]).toBe("its own\n");
});

test("the script begins again when it was interrupted: the owner is written last", () => {
  const root = materialised(COPY);
  const [before = "", ...rest] = SCRUB_SCRIPT.split("printf ");
  expect(rest).toHaveLength(1);
  execFileSync("sh", ["-c", before], { env: { PATH: process.env["PATH"], ROOT: root } });
  expect(filesIn(root)["/etc/capstan/identity-of"]).toBe(`${DONOR}\n`);
  runScrub(root);
  expect(filesIn(root)["/etc/capstan/identity-of"]).toBe(`${COPY}\n`);
});

test("a simulated guest that runs the installation has the script, its unit and its own id on the disk", () => {
  const disk = diskWith({});
  expect(runScript(INSTALL_SCRIPT, { disk, vmId: DONOR })).toMatchObject({ exitCode: 0 });
  expect(disk.read("/usr/local/sbin/capstan-scrub")).toBe(SCRUB_SCRIPT);
  expect(disk.read("/etc/systemd/system/capstan-scrub.service")).toContain("Before=cloud-init-local.service");
  expect(isCopyOfAnother(disk, DONOR)).toBe(false);
  expect(isCopyOfAnother(disk, COPY)).toBe(true);
});

test("the installation is a valid shell script", () => {
  execFileSync("sh", ["-n", "-c", INSTALL_SCRIPT]);
  execFileSync("sh", ["-n", "-c", SCRUB_SCRIPT]);
});
