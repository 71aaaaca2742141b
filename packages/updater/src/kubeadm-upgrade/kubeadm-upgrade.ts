import { defineUpdater, type Updater } from "../define-updater.ts";
import { done, failed, type FieldPath, inProgress, isBelow, type UpdateResult } from "../messages.ts";

/** The facts about a Machine that an upgrade of Kubernetes needs. */
export interface UpgradedMachine {
  /** The provider id: the address of the machine for its agent. */
  readonly providerID: string | undefined;
  /** The desired version, such as v1.31.0. */
  readonly version: string | undefined;
  /** The version that the kubelet of its Node reports. */
  readonly kubeletVersion: string | undefined;
}

/** The result of a script in a machine. */
export interface ScriptResult {
  readonly exitCode: number;
  readonly output: string;
  readonly error: string;
}

/** The connections of the updater. */
export interface KubeadmUpgradePorts {
  /** Reads a Machine; undefined when it does not exist. */
  readonly readMachine: (namespace: string, name: string) => Promise<UpgradedMachine | undefined>;
  /** Runs a script as root in a machine: an agent that waits for instructions there. */
  readonly runScript: (providerID: string, script: string) => Promise<ScriptResult>;
}

/**
 * Fields of a new version of Kubernetes. A template for a new version also names a new OS image: machines that are created
 * later boot from it, and this updater leaves the image of existing machines as it is.
 */
const FIELDS: readonly FieldPath[] = [
  "machine.spec.version",
  "bootstrap.spec.clusterConfiguration.kubernetesVersion",
  // The control plane sets this gate with the version, and kubeadm then points the kubelet to its own API server.
  "bootstrap.spec.clusterConfiguration.featureGates.ControlPlaneKubeletLocalMode",
  "infraMachine.spec.image",
];

const NODE_POLL_SECONDS = 5;
const RETRY_SECONDS = 15;

/**
 * Upgrades Kubernetes on a machine: packages, `kubeadm upgrade node`, then the kubelet. On a machine of a control plane,
 * kubeadm also renews the static pods; its controller has written the new version to the cluster before.
 */
export function kubeadmUpgrade(ports: KubeadmUpgradePorts): Updater {
  return defineUpdater({
    name: "kubeadm-upgrade",
    canUpdate: ({ changes }) => {
      // A new image alone is not a new version of Kubernetes.
      const isUpgrade = changes.includes("machine.spec.version");
      return isUpgrade ? changes.filter((path) => isBelow(path, ...FIELDS)) : [];
    },
    update: async ({ machine }) => {
      const { namespace, name } = machine;
      const facts = await ports.readMachine(namespace, name);
      if (!facts) return failed(`Machine ${namespace}/${name} does not exist`);
      return upgrade(ports, facts);
    },
  });
}

async function upgrade(ports: KubeadmUpgradePorts, facts: UpgradedMachine): Promise<UpdateResult> {
  const { providerID, version, kubeletVersion } = facts;
  if (version === undefined || version === kubeletVersion) return done();
  if (providerID === undefined) return inProgress(RETRY_SECONDS, "the machine has no provider id yet");
  if (!/^v[0-9]+(\.[0-9]+){2}$/.test(version)) return failed(`there are no packages for version ${version}`);
  const installed = await ports.runScript(providerID, "kubelet --version\n");
  if (installed.exitCode !== 0)
    return inProgress(RETRY_SECONDS, `the agent does not answer: ${installed.error}`);
  if (installed.output.trim() === `Kubernetes ${version}`)
    return inProgress(
      NODE_POLL_SECONDS,
      `kubelet ${version} is installed; its Node reports ${kubeletVersion}`,
    );
  const result = await ports.runScript(providerID, scriptFor(version));
  if (result.exitCode !== 0)
    return failed(`upgrading to ${version} ended with exit code ${result.exitCode}: ${result.error}`);
  return inProgress(NODE_POLL_SECONDS, `installed ${version}; the kubelet restarts`);
}

/** Safe to run again: each command leads to the same end. */
function scriptFor(version: string): string {
  const packageVersion = `${version.slice(1)}-*`;
  return [
    "set -eu",
    "apt-mark unhold kubeadm kubelet",
    `apt-get install -y kubeadm=${packageVersion}`,
    "kubeadm upgrade node",
    `apt-get install -y kubelet=${packageVersion}`,
    "apt-mark hold kubeadm kubelet",
    "systemctl daemon-reload",
    "systemctl restart kubelet",
    "",
  ].join("\n");
}
