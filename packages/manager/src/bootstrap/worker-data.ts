import type { Frozen, KubeadmConfig } from "@capstan/api";
import { diskSetup, filesystemSetup } from "./cloud-config-disks.ts";
import { rootFile, writtenFile } from "./cloud-config-files.ts";
import { createdUser } from "./cloud-config-users.ts";
import { discoveryKubeconfig, type JoinTarget } from "./discovery.ts";
import { joinConfigurationText, type KubeadmApiVersion } from "./join-configuration.ts";
import type { SecretValues } from "./secret-values.ts";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type Spec = Frozen<KubeadmConfig>["spec"];

/** Everything that decides what a worker does at its first boot. */
export interface Worker {
  readonly spec: Spec;
  readonly version: KubeadmApiVersion;
  readonly target: JoinTarget;
  readonly values: SecretValues;
}

const JOIN_FILE = "/run/kubeadm/kubeadm-join-config.yaml";
/** Cluster API's contract: whoever wants to know whether a machine is through looks for this file. */
const SENTINEL = "/run/cluster-api/bootstrap-success.complete";
// The first line makes cloud-init fill in expressions such as {{ ds.meta_data["local_hostname"] }}.
const HEADER = "## template: jinja\n#cloud-config\n";

/** The cloud-config by which a machine becomes a worker. The same worker gives the same bytes. */
export function workerData(worker: Worker): string {
  const { spec, values } = worker;
  const { mounts = [], bootCommands = [], users = [], ntp } = spec;
  const config: YamlValue = {
    bootcmd: someOf(bootCommands),
    disk_setup: spec.diskSetup && diskSetup(spec.diskSetup),
    fs_setup: spec.diskSetup && filesystemSetup(spec.diskSetup),
    mounts: someOf(mounts),
    users: someOf(users.map((user) => createdUser(user, values))),
    ntp: ntp && { enabled: ntp.enabled, servers: ntp.servers },
    write_files: filesOf(worker),
    runcmd: commandsOf(spec),
  };
  return HEADER + yamlOf(config);
}

/** Says why a config cannot be turned into bootstrap data; undefined when it can. */
export function refusalOf({ format, ignition, files = [] }: Spec): string | undefined {
  if (format === "ignition" || ignition) {
    return 'spec.format: "ignition": is not supported yet; use cloud-config';
  }
  const index = files.findIndex(({ contentFormat }) => contentFormat === "Template");
  if (index < 0) return undefined;
  return `spec.files[${index}].contentFormat: "Template": is not supported yet; use Raw, and cloud-init's own templates within it`;
}

// Azure's limit for the custom data of a machine before it is encoded in base64: one byte less than 64 KiB.
const MOST_BYTES = 65_535;

/** Says that bootstrap data is too large for a machine on Azure; undefined when it is not. */
export function sizeProblem(data: string): string | undefined {
  const bytes = Buffer.byteLength(data);
  if (bytes <= MOST_BYTES) return undefined;
  return `the bootstrap data has ${bytes} bytes, but Azure accepts at most ${MOST_BYTES}; shorten spec.files, or download large files with a command`;
}

/** A file of ours stands behind those of users, and so wins over one of the same path. */
function filesOf({ spec, version, target, values }: Worker): YamlValue {
  const { joinConfiguration = {}, files = [] } = spec;
  const { file } = joinConfiguration.discovery ?? {};
  const kubeconfig = file && discoveryKubeconfig(file, target);
  return [
    ...files.map((given) => writtenFile(given, values)),
    ...(file && kubeconfig !== undefined ? [rootFile(file.kubeConfigPath, kubeconfig)] : []),
    rootFile(JOIN_FILE, joinConfigurationText(joinConfiguration, target, version)),
    // The directory of the sentinel must be there before the command that writes it.
    rootFile("/run/cluster-api/placeholder", "Keeps the directory for the sentinel of the first boot.\n"),
  ];
}

function commandsOf({ preKubeadmCommands = [], postKubeadmCommands = [], verbosity }: Spec): string[] {
  const flags = verbosity === undefined ? "" : ` --v ${verbosity}`;
  const join = `kubeadm join --config ${JOIN_FILE}${flags} && echo success > ${SENTINEL}`;
  return [...preKubeadmCommands, join, ...postKubeadmCommands];
}

function someOf(list: readonly YamlValue[]): YamlValue | undefined {
  return list.length === 0 ? undefined : list;
}
