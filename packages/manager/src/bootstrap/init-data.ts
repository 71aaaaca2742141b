import type { Frozen, KubeadmConfig } from "@capstan/api";
import { cloudConfig } from "./cloud-config.ts";
import { rootFile, writtenFile } from "./cloud-config-files.ts";
import { clusterConfigurationDocument, type ClusterFacts } from "./cluster-configuration.ts";
import {
  endpointDocument,
  type KubeadmApiVersion,
  registration,
  secondsText,
  timeoutsDocument,
} from "./join-configuration.ts";
import type { SecretValues } from "./secret-values.ts";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type Spec = Frozen<KubeadmConfig>["spec"];
type InitConfiguration = NonNullable<Spec["initConfiguration"]>;

/** The input of the bootstrap data of the first machine of a control plane. */
export interface InitMachine {
  readonly spec: Spec;
  readonly version: KubeadmApiVersion;
  readonly facts: ClusterFacts;
  readonly values: SecretValues;
  /** The certificates of the cluster, as files. */
  readonly certificates: readonly YamlValue[];
}

const INIT_FILE = "/run/kubeadm/kubeadm.yaml";

/** The cloud-config of the first machine of a control plane. The same input gives the same bytes. */
export function initData({ spec, version, facts, values, certificates }: InitMachine): string {
  const { initConfiguration = {}, files = [] } = spec;
  const cluster = yamlOf(clusterConfigurationDocument(spec, facts, version));
  const init = yamlOf(initDocument(initConfiguration, version));
  return cloudConfig({
    spec,
    values,
    files: [
      ...certificates,
      ...files.map((given) => writtenFile(given, values)),
      rootFile(INIT_FILE, `---\n${cluster}---\n${init}`),
    ],
    command: `init --config ${INIT_FILE}`,
  });
}

function initDocument(
  { nodeRegistration, localAPIEndpoint, patches, skipPhases, bootstrapTokens, timeouts }: InitConfiguration,
  version: KubeadmApiVersion,
): Extract<YamlValue, object> {
  return {
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "InitConfiguration",
    localAPIEndpoint: localAPIEndpoint && endpointDocument(localAPIEndpoint),
    nodeRegistration: nodeRegistration && registration(nodeRegistration, version),
    bootstrapTokens: bootstrapTokens?.map(({ token, description, ttlSeconds, expires, usages, groups }) => ({
      token,
      description,
      ttl: secondsText(ttlSeconds),
      expires,
      usages,
      groups,
    })),
    patches: patches && { directory: patches.directory },
    skipPhases,
    timeouts: timeoutsDocument(timeouts, version),
  };
}
