import type { MachineDisk } from "@capstan/azure-sim";

/** The disk as the scrub uses it. */
type ScrubbedDisk = Pick<MachineDisk, "read" | "write" | "list" | "remove">;

/** The file that names the machine whose identity is on the disk; an image of a donor has it. */
const IDENTITY_OF = "/etc/capstan/identity-of";
const MACHINE_ID = "/etc/machine-id";

/** What the scrub removes: everything that two machines must not share. */
const SCRUBBED: readonly string[] = [
  "/etc/hostname",
  "/etc/kubernetes",
  "/etc/cni/net.d",
  "/var/lib/cni",
  "/var/lib/cloud",
  "/var/lib/dbus/machine-id",
  "/var/lib/systemd/random-seed",
  "/var/lib/waagent",
  "/var/log",
  "/var/tmp",
  "/tmp",
  "/run/cluster-api",
];
const HOST_KEYS = { folder: "/etc/ssh", prefix: "/etc/ssh/ssh_host_" };
// The kubelet's records of pulled images stay: without them, any pod could use a private image that is on the disk.
const KUBELET = { folder: "/var/lib/kubelet", kept: "/var/lib/kubelet/image_manager/" };

/** Whether the disk carries the identity of another machine: it was made from an image of that machine. */
export function isCopyOfAnother(disk: Pick<MachineDisk, "read">, vmId: string): boolean {
  const owner = disk.read(IDENTITY_OF)?.trim().toLowerCase();
  return owner !== undefined && owner !== vmId.toLowerCase();
}

/**
 * Removes the identity of the donor from a disk, as the script in the image does at the first boot. The owner is written last:
 * a scrub that is interrupted begins again.
 */
export function scrub(disk: ScrubbedDisk, vmId: string): void {
  for (const path of SCRUBBED) disk.remove(path);
  for (const path of disk.list(HOST_KEYS.folder)) if (path.startsWith(HOST_KEYS.prefix)) disk.remove(path);
  for (const path of disk.list(KUBELET.folder)) if (!path.startsWith(KUBELET.kept)) disk.remove(path);
  disk.write(MACHINE_ID, "");
  disk.write(IDENTITY_OF, `${vmId}\n`);
}
