import type { CommandResult, ImageFiles } from "@capstan/azure-sim";
import { INSPECT_SCRIPT, SCRUBBED_LATE } from "@capstan/plan";
import { type GuestDisk, bootsOn } from "./os-disk.ts";
import { IDENTITY_OF } from "./identity.ts";

const OF_THE_NODE = [
  "/etc/machine-id",
  "/etc/ssh/ssh_host_ed25519_key",
  "/etc/kubernetes/kubelet.conf",
  "/var/lib/kubelet/pki/kubelet-client-current.pem",
];

/**
 * What the script says that looks for what a new node has from its image; undefined for another script. Files here have no
 * times: one that is as it was in the image comes from there.
 */
export function inspectNode(script: string, disk: GuestDisk, image: ImageFiles): CommandResult | undefined {
  if (script !== INSPECT_SCRIPT) return undefined;
  const boots = bootsOn(disk);
  const flaws = [
    ...(disk.read(IDENTITY_OF) === undefined ? [] : [SCRUBBED_LATE]),
    ...(boots > 1 ? [`it has booted ${boots} times`] : []),
    ...OF_THE_NODE.filter((path) => disk.read(path) !== undefined && disk.read(path) === image[path]).map(
      (path) => `${path} comes from the image`,
    ),
  ];
  return { exitCode: 0, output: flaws.map((line) => `${line}\n`).join(""), error: "" };
}
