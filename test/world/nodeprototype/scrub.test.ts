import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { INSTALL_SCRIPT, SCRUB_SCRIPT } from "../../../packages/plan/src/images/scripts/scrub-script.ts";
import { HELPER_LUN } from "../../../packages/plan/src/index.ts";
import { isCopyOfAnother, scrub } from "../../../packages/sim/src/guests/identity.ts";
import { runScript } from "../../../packages/sim/src/guests/run-command.ts";

const DONOR = "11111111-1111-1111-1111-111111111111";
const COPY = "22222222-2222-2222-2222-222222222222";

/** What a node has on its disk: its identity, what it was given, and what copies should keep. */
const FILES: Readonly<Record<string, string>> = {
  "/etc/capstan/identity-of": `${DONOR}\n`,
  "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
  "/etc/hostname": "mp000000\n",
  "/etc/hosts": "127.0.0.1 localhost\n127.0.1.1 mp000000 mp000000.local\n10.0.0.9 mp0000001\n",
  "/etc/netplan/50-cloud-init.yaml": "macaddress: a\n",
  "/home/capi/.ssh/authorized_keys": "key\n",
  "/usr/local/sbin/capstan-scrub": "script\n",
  "/etc/systemd/system/capstan-scrub.service": "unit\n",
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
  "/var/lib/containerd/containers/kube-proxy": "a layer\n",
  "/var/lib/containerd/containers/sandbox": "a layer\n",
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

// A container is a file here; the snapshot of one is its writable layer.
const CTR = `#!/bin/sh
containers="$ROOT/var/lib/containerd/containers"
case "$*" in
  version) ;;
  "namespaces ls -q") echo k8s.io ;;
  *" containers ls -q") ls "$containers" 2> /dev/null | grep -v '^left$' || true ;;
  *" snapshots ls") printf 'KEY PARENT KIND\nbase Committed\n'; [ ! -e "$containers/left" ] || echo 'left base Active' ;;
  *" rm "*) rm "$containers/$5" ;;
  *) exit 1 ;;
esac
`;

/** How a machine shows that it is a helper: a data disk behind SCSI, or behind NVMe. */
const SCSI_HELPER = { [`/sys/class/scsi_device/1:0:0:${HELPER_LUN}/device`]: "" };
const NVME_HELPER = { "/sys/block/nvme0n1/nsid": "1\n", "/sys/block/nvme0n2/nsid": `${HELPER_LUN + 2}\n` };

/** Writes the files to a folder, beside what the firmware shows, and stand-ins for containerd. */
function materialised(vmId: string, more: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "capstan-scrub-"));
  folders.push(root);
  const files = {
    ...FILES,
    "/sys/class/dmi/id/product_uuid": `${vmId}\n`,
    "/sys/bin/containerd": "#!/bin/sh\nexec sleep 60\n",
    "/sys/bin/ctr": CTR,
    ...more,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    if (path.startsWith("/sys/bin/")) chmodSync(join(root, path), 0o755);
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
  const PATH = `${join(root, "sys/bin")}:${process.env["PATH"] ?? ""}`;
  execFileSync("sh", ["-c", SCRUB_SCRIPT], { env: { PATH, ROOT: root }, stdio: "pipe" });
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
  scrub(disk, { vmId: COPY });
  expect(filesIn(root)).toEqual(Object.fromEntries(disk.files));
  expect(Object.keys(filesIn(root)).sort()).toEqual([
    "/etc/capstan/identity-of",
    "/etc/hosts",
    "/etc/kubernetes-version",
    "/etc/machine-id",
    "/etc/patch",
    "/etc/ssh/sshd_config",
    "/etc/systemd/system/capstan-scrub.service",
    "/usr/bin/kubeadm",
    "/usr/local/sbin/capstan-scrub",
    "/var/lib/containerd/containers/kube-proxy",
    "/var/lib/containerd/containers/sandbox",
    "/var/lib/containerd/images.json",
    "/var/lib/dpkg/security-updates",
    "/var/lib/kubelet/image_manager/pulled/record",
  ]);
});

test.each([
  ["SCSI", SCSI_HELPER],
  ["NVMe", NVME_HELPER],
])("on a helper with a marker behind %s, containers and the script itself go, too", (_, marker) => {
  const root = materialised(COPY, {
    ...marker,
    "/var/lib/containerd/containers/left": "a layer without a container\n",
  });
  runScrub(root);
  const disk = diskWith(FILES);
  scrub(disk, { vmId: COPY, luns: [HELPER_LUN] });
  expect(filesIn(root)).toEqual(Object.fromEntries(disk.files));
  expect(filesIn(root)).toEqual({
    "/etc/hosts": "127.0.0.1 localhost\n10.0.0.9 mp0000001\n",
    "/etc/kubernetes-version": "v1.33.5\n",
    "/etc/machine-id": "",
    "/etc/patch": "1.2.3\n",
    "/etc/ssh/sshd_config": "PermitRootLogin no\n",
    "/usr/bin/kubeadm": "kubeadm\n",
    "/var/lib/containerd/images.json": "[]\n",
    "/var/lib/dpkg/security-updates": "30",
    "/var/lib/kubelet/image_manager/pulled/record": "{}\n",
  });
});

test("a container that cannot be removed fails the scrub, and the disk still names its owner", () => {
  const stubborn = CTR.replace('rm "$containers/$5"', "true");
  const root = materialised(COPY, { ...SCSI_HELPER, "/sys/bin/ctr": stubborn });
  expect(() => runScrub(root)).toThrow(/containers are left: kube-proxy[^]*does not boot on/);
  expect(filesIn(root)["/etc/capstan/identity-of"]).toBe(`${DONOR}\n`);
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
  const [before = "", ...rest] = SCRUB_SCRIPT.split("  printf '%s\\n' \"$own\"");
  expect(rest).toHaveLength(1);
  execFileSync("sh", ["-c", `${before}\n:\nfi`], { env: { PATH: process.env["PATH"], ROOT: root } });
  expect(filesIn(root)["/etc/capstan/identity-of"]).toBe(`${DONOR}\n`);
  runScrub(root);
  expect(filesIn(root)["/etc/capstan/identity-of"]).toBe(`${COPY}\n`);
});

test("a simulated guest that runs the installation has the script, its unit and its own id on the disk", () => {
  const disk = diskWith({});
  expect(runScript(INSTALL_SCRIPT, { disk, vmId: DONOR })).toMatchObject({ exitCode: 0 });
  expect(disk.read("/usr/local/sbin/capstan-scrub")).toBe(SCRUB_SCRIPT);
  expect(disk.read("/etc/systemd/system/capstan-scrub.service")).toContain(" cloud-init-local.service ");
  expect(isCopyOfAnother(disk, DONOR)).toBe(false);
  expect(isCopyOfAnother(disk, COPY)).toBe(true);
});

test("the installation is a valid shell script", () => {
  execFileSync("sh", ["-n", "-c", INSTALL_SCRIPT]);
  execFileSync("sh", ["-n", "-c", SCRUB_SCRIPT]);
});
