import type { Frozen, KubeadmConfig } from "@capstan/api";
import { diskSetup, filesystemSetup } from "./cloud-config-disks.ts";
import { rootFile, writtenFile } from "./cloud-config-files.ts";
import { createdUser } from "./cloud-config-users.ts";
import { discoveryKubeconfig, type JoinTarget } from "./discovery.ts";
import { joinConfigurationText, type KubeadmApiVersion } from "./join-configuration.ts";
import type { SecretValues } from "./secret-values.ts";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type Spec = Frozen<KubeadmConfig>["spec"];

/** The input of a worker's bootstrap data. */
export interface Worker {
  readonly spec: Spec;
  readonly version: KubeadmApiVersion;
  readonly target: JoinTarget;
  readonly values: SecretValues;
}

const JOIN_FILE = "/run/kubeadm/kubeadm-join-config.yaml";
/** Cluster API's contract: this file shows that the bootstrap is complete. */
const SENTINEL = "/run/cluster-api/bootstrap-success.complete";
// The first line makes cloud-init evaluate expressions such as {{ ds.meta_data["local_hostname"] }}.
const HEADER = "## template: jinja\n#cloud-config\n";

/** The cloud-config of a worker. The same input gives the same bytes. */
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

/** Why a config is not supported; undefined when it is. */
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

/** Why bootstrap data is too large for Azure; undefined when it is not. */
export function sizeProblem(data: string): string | undefined {
  const bytes = Buffer.byteLength(data);
  if (bytes <= MOST_BYTES) return undefined;
  return `the bootstrap data has ${bytes} bytes, but Azure accepts at most ${MOST_BYTES}; shorten spec.files, or download large files with a command`;
}

/** Capstan's files come after those of users, so they win if the path is the same. */
function filesOf({ spec, version, target, values }: Worker): YamlValue {
  const { joinConfiguration = {}, files = [] } = spec;
  const { file } = joinConfiguration.discovery ?? {};
  const kubeconfig = file && discoveryKubeconfig(file, target);
  return [
    ...files.map((given) => writtenFile(given, values)),
    ...(file && kubeconfig !== undefined ? [rootFile(file.kubeConfigPath, kubeconfig)] : []),
    rootFile(JOIN_FILE, joinConfigurationText(joinConfiguration, target, version)),
    // The directory of the sentinel must exist before the command that writes it.
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
