import type { Machine, MachineDisk } from "@capstan/azure-sim";
import { HELPER_LUN } from "@capstan/plan";

/** The disk as the scrub uses it. */
type ScrubbedDisk = Pick<MachineDisk, "read" | "write" | "list" | "remove">;

/** The file that names the machine whose identity is on the disk; a copy of a donor's disk has it. */
export const IDENTITY_OF = "/etc/capstan/identity-of";
const MACHINE_ID = "/etc/machine-id";
const HOSTNAME = "/etc/hostname";
const HOSTS = "/etc/hosts";

/** What the scrub removes: everything that two machines must not share. */
const SCRUBBED: readonly string[] = [
  HOSTNAME,
  "/etc/kubernetes",
  "/etc/cni/net.d",
  "/etc/netplan/50-cloud-init.yaml",
  "/var/lib/cni",
  "/var/lib/cloud",
  "/var/lib/dbus/machine-id",
  "/var/lib/dhcp",
  "/var/lib/NetworkManager",
  "/var/lib/systemd/random-seed",
  "/var/lib/waagent",
  "/var/log",
  "/var/tmp",
  "/tmp",
  "/run/cluster-api",
  "/root/.ssh/authorized_keys",
  "/root/.bash_history",
];
const HOST_KEYS = { folder: "/etc/ssh", prefix: "/etc/ssh/ssh_host_" };
const OF_USERS = /^\/home\/[^/]+\/(\.ssh\/authorized_keys|\.bash_history)$/;
// The kubelet's records of pulled images stay: without them, any pod could use a private image that is on the disk.
const KUBELET = { folder: "/var/lib/kubelet", kept: "/var/lib/kubelet/image_manager/" };
/** The containers of a node with their writable layers: a file each, where containerd has a database and folders. */
export const CONTAINERS = "/var/lib/containerd/containers";
/** What a donor got for its copies. */
const OWN_FILES: readonly string[] = [
  "/etc/capstan",
  "/usr/local/sbin/capstan-scrub",
  "/etc/systemd/system/capstan-scrub.service",
];

/** Whether the disk carries the identity of another machine: it was made from an image of that machine. */
export function isCopyOfAnother(disk: Pick<MachineDisk, "read">, vmId: string): boolean {
  const owner = disk.read(IDENTITY_OF)?.trim().toLowerCase();
  return owner !== undefined && owner !== vmId.toLowerCase();
}

/** Whether a machine exists only to remove the identity from its disk. */
export function isHelper({ luns = [] }: Pick<Machine, "luns">): boolean {
  return luns.includes(HELPER_LUN);
}

/**
 * Removes the identity of the donor from a disk, as the script on it does at the first boot of a copy. On a node the owner is
 * written last: a scrub that is interrupted begins again. On a helper the containers and the script itself go, too.
 */
export function scrub(disk: ScrubbedDisk, machine: Pick<Machine, "vmId" | "luns">): void {
  if (isHelper(machine)) disk.remove(CONTAINERS);
  forgetName(disk);
  for (const path of SCRUBBED) disk.remove(path);
  removeSome(disk, HOST_KEYS.folder, (path) => path.startsWith(HOST_KEYS.prefix));
  removeSome(disk, "/home", (path) => OF_USERS.test(path));
  removeSome(disk, KUBELET.folder, (path) => !path.startsWith(KUBELET.kept));
  disk.write(MACHINE_ID, "");
  if (!isHelper(machine)) disk.write(IDENTITY_OF, `${machine.vmId}\n`);
  else for (const path of OWN_FILES) disk.remove(path);
}

function removeSome(disk: ScrubbedDisk, folder: string, isRemoved: (path: string) => boolean): void {
  for (const path of disk.list(folder)) if (isRemoved(path)) disk.remove(path);
}

/** Removes the lines of /etc/hosts with the name of the donor. */
function forgetName(disk: ScrubbedDisk): void {
  const name = disk.read(HOSTNAME)?.trim() ?? "";
  const hosts = disk.read(HOSTS);
  if (name === "" || hosts === undefined) return;
  const word = new RegExp(`(^|\\W)${name.replaceAll(".", "\\.")}(\\W|$)`);
  const isNamed = (line: string): boolean => word.test(line);
  const lines = hosts.trimEnd().split("\n");
  disk.write(HOSTS, `${lines.filter((line) => !isNamed(line)).join("\n")}\n`);
}
