import { minorSkew, parseVersion, versionProblem } from "@capstan/api";
import type { CommandResult } from "@capstan/azure-sim";
import { hasEtcdData } from "../etcd/etcd-cluster.ts";
import {
  type GuestDisk,
  installedKubeadm,
  kubernetesVersion,
  readImages,
  writeImages,
  writeKubeadm,
  writeKubelet,
  writeKubeletConfig,
  writeManifests,
} from "./os-disk.ts";

/** A command of a script that a guest understands, and where it is. */
export interface UnderstoodCommand {
  readonly index: number;
  /** Runs the command; undefined means that it succeeded without output. */
  readonly run: (disk: GuestDisk) => CommandResult | undefined;
}

const INSTALL =
  /^(?:sudo )?apt-get install (?:-y |--allow-change-held-packages )*(kubeadm|kubelet)=(\S+?)(?:-\S*)?$/gm;
const UPGRADE_NODE = /^(?:sudo )?kubeadm upgrade node$/gm;
const KUBELET_VERSION = /^kubelet --version$/gm;
/** The command after which the kubelet that is installed runs. */
export const RESTART_KUBELET = /^(?:sudo )?systemctl restart kubelet$/m;

/** The commands of an upgrade of Kubernetes in a script. */
export function upgradeCommandsIn(script: string): readonly UnderstoodCommand[] {
  return [
    ...[...script.matchAll(INSTALL)].map(({ index, 1: name = "", 2: version = "" }) => ({
      index,
      run: (disk: GuestDisk) => install(disk, name, version),
    })),
    ...[...script.matchAll(UPGRADE_NODE)].map(({ index }) => ({ index, run: upgradeNode })),
    ...[...script.matchAll(KUBELET_VERSION)].map(({ index }) => ({
      index,
      run: (disk: GuestDisk) => ({
        exitCode: 0,
        output: `Kubernetes ${kubernetesVersion(disk)}\n`,
        error: "",
      }),
    })),
  ];
}

function install(disk: GuestDisk, name: string, text: string): CommandResult | undefined {
  const version = `v${text}`;
  if (versionProblem(version) !== undefined)
    return refusal(100, `E: Version '${text}' for '${name}' was not found`);
  if (name === "kubeadm") writeKubeadm(disk, version);
  else writeKubelet(disk, version);
  return undefined;
}

/** kubeadm refuses to skip a minor version, and to go back. */
function upgradeNode(disk: GuestDisk): CommandResult | undefined {
  const target = installedKubeadm(disk);
  const current = kubernetesVersion(disk);
  if (target === undefined) return refusal(127, "kubeadm: command not found");
  const [newer, older] = [parseVersion(target), parseVersion(current)];
  const skew = newer && older && minorSkew(newer, older);
  if (skew !== 0 && skew !== 1) {
    const message = `[upgrade] kubeadm ${target} can only upgrade a kubelet of the same or the previous minor version, not ${current}`;
    return refusal(1, message);
  }
  writeKubeletConfig(disk, target);
  if (hasEtcdData(disk)) writeManifests(disk, target);
  const image = { names: [`registry.k8s.io/kube-proxy:${target}`], sizeBytes: 28_000_000 };
  const images = readImages(disk);
  if (!images.some(({ names }) => names?.[0] === image.names[0])) writeImages(disk, [...images, image]);
  return undefined;
}

function refusal(exitCode: number, error: string): CommandResult {
  return { exitCode, output: "", error };
}
