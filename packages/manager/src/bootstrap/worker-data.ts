import type { Frozen, KubeadmConfig } from "@capstan/api";
import { cloudConfig } from "./cloud-config.ts";
import { rootFile, writtenFile } from "./cloud-config-files.ts";
import { discoveryKubeconfig, type JoinTarget } from "./discovery.ts";
import { joinConfigurationText, type JoinRole, type KubeadmApiVersion } from "./join-configuration.ts";
import type { SecretValues } from "./secret-values.ts";
import type { YamlValue } from "./yaml-text.ts";

type Spec = Frozen<KubeadmConfig>["spec"];

/** The input of the bootstrap data of a machine that joins. */
export interface Worker {
  readonly spec: Spec;
  readonly version: KubeadmApiVersion;
  readonly target: JoinTarget;
  readonly values: SecretValues;
}

const JOIN_FILE = "/run/kubeadm/kubeadm-join-config.yaml";

/** The cloud-config of a worker. The same input gives the same bytes. */
export function workerData(worker: Worker): string {
  const { spec, values } = worker;
  return cloudConfig({
    spec,
    values,
    files: joinFiles(worker, "worker"),
    command: `join --config ${JOIN_FILE}`,
  });
}

/** The cloud-config of a further machine of a control plane, with the certificates of the cluster. */
export function controlPlaneJoinData(worker: Worker, certificates: readonly YamlValue[]): string {
  const { spec, values } = worker;
  const files = [...certificates, ...joinFiles(worker, "control-plane")];
  return cloudConfig({ spec, values, files, command: `join --config ${JOIN_FILE}` });
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
function joinFiles({ spec, version, target, values }: Worker, role: JoinRole): readonly YamlValue[] {
  const { joinConfiguration = {}, files = [] } = spec;
  const { file } = joinConfiguration.discovery ?? {};
  const kubeconfig = file && discoveryKubeconfig(file, target);
  return [
    ...files.map((given) => writtenFile(given, values)),
    ...(file && kubeconfig !== undefined ? [rootFile(file.kubeConfigPath, kubeconfig)] : []),
    rootFile(JOIN_FILE, joinConfigurationText(joinConfiguration, { target, version, role })),
  ];
}
