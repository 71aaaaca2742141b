import type { Frozen, KubeadmConfig } from "@capstan/api";
import { diskSetup, filesystemSetup } from "./cloud-config-disks.ts";
import { rootFile } from "./cloud-config-files.ts";
import { createdUser } from "./cloud-config-users.ts";
import type { SecretValues } from "./secret-values.ts";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type Spec = Frozen<KubeadmConfig>["spec"];

/** What a machine does at its first boot. */
export interface FirstBoot {
  readonly spec: Spec;
  readonly values: SecretValues;
  /** The files to write, in order: a later file with the same path replaces an earlier one. */
  readonly files: readonly YamlValue[];
  /** What kubeadm does, such as `init --config FILE`. */
  readonly command: string;
}

/** Cluster API's contract: this file shows that the bootstrap is complete. */
const SENTINEL = "/run/cluster-api/bootstrap-success.complete";
// The first line makes cloud-init evaluate expressions such as {{ ds.meta_data["local_hostname"] }}.
const HEADER = "## template: jinja\n#cloud-config\n";

/** The cloud-config of a machine. The same input gives the same bytes. */
export function cloudConfig({ spec, values, files, command }: FirstBoot): string {
  const { mounts = [], bootCommands = [], users = [], ntp } = spec;
  const config: YamlValue = {
    bootcmd: someOf(bootCommands),
    disk_setup: spec.diskSetup && diskSetup(spec.diskSetup),
    fs_setup: spec.diskSetup && filesystemSetup(spec.diskSetup),
    mounts: someOf(mounts),
    users: someOf(users.map((user) => createdUser(user, values))),
    ntp: ntp && { enabled: ntp.enabled, servers: ntp.servers },
    write_files: [
      ...files,
      // The directory of the sentinel must exist before the command that writes it.
      rootFile("/run/cluster-api/placeholder", "Keeps the directory for the sentinel of the first boot.\n"),
    ],
    runcmd: commandsOf(spec, command),
  };
  return HEADER + yamlOf(config);
}

function commandsOf(spec: Spec, command: string): string[] {
  const { preKubeadmCommands = [], postKubeadmCommands = [], verbosity } = spec;
  const flags = verbosity === undefined ? "" : ` --v ${verbosity}`;
  const kubeadm = `kubeadm ${command}${flags} && echo success > ${SENTINEL}`;
  return [...preKubeadmCommands, kubeadm, ...postKubeadmCommands];
}

function someOf(list: readonly YamlValue[]): YamlValue | undefined {
  return list.length === 0 ? undefined : list;
}
