import { type ContainerImage, type Frozen, isJsonObject, type Taint } from "@capstan/api";
import type { Machine, MachineDisk } from "@capstan/azure-sim";
import { createRng, type Rng, uuidFrom } from "@capstan/env";
import type { GuestFile } from "./cloud-init.ts";
import type { GuestFailure } from "./failure.ts";
import { CONTAINERS } from "./identity.ts";
import { installedUpdates } from "./security-updates.ts";

/** The disk as a guest uses it. */
export type GuestDisk = Pick<MachineDisk, "read" | "write">;

/** The identity of the operating system since its last boot. */
export interface BootIdentity {
  readonly machineId: string;
  readonly bootId: string;
}

const MACHINE_ID = "/etc/machine-id";
const BOOT_COUNT = "/var/lib/systemd/boot-count";
const BOOTED_FOR = "/var/lib/systemd/booted-for";
const HOST_KEY = "/etc/ssh/ssh_host_ed25519_key";
const CLOUD_INIT_LOG = "/var/log/cloud-init-output.log";
const CLOUD_INIT_RESULT = "/var/lib/cloud/data/result.json";
const KUBERNETES_VERSION = "/etc/kubernetes-version";
const KUBEADM = "/usr/bin/kubeadm";
const KUBELET_CONF = "/etc/kubernetes/kubelet.conf";
const CLUSTER_CA = "/etc/kubernetes/pki/ca.crt";
const KUBELET_CONFIG = "/var/lib/kubelet/config.yaml";
const API_SERVER_MANIFEST = "/etc/kubernetes/manifests/kube-apiserver.yaml";
const KUBELET_FLAGS = "/var/lib/kubelet/kubeadm-flags.env";
const KUBELET_EXTRA = "/etc/default/kubelet";
const KUBELET_KEY = "/var/lib/kubelet/pki/kubelet-client-current.pem";
const KUBELET_CONFIGURATION = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
const IMAGES = "/var/lib/containerd/images.json";

/** Writes what a boot writes: identities that the image lacks, and the boot count. */
export function writeBoot(disk: GuestDisk, rng: Rng): BootIdentity {
  if ((disk.read(MACHINE_ID) ?? "").trim() === "") {
    disk.write(MACHINE_ID, `${uuidFrom(rng).replaceAll("-", "")}\n`);
  }
  if (disk.read(HOST_KEY) === undefined) disk.write(HOST_KEY, `simulated host key ${uuidFrom(rng)}\n`);
  if (disk.read(IMAGES) === undefined)
    disk.write(IMAGES, JSON.stringify(shippedImages(kubernetesVersion(disk))));
  disk.write(BOOT_COUNT, String(Number(disk.read(BOOT_COUNT) ?? "0") + 1));
  return bootIdentity(disk);
}

/** How often the operating system on a disk has booted. */
export function bootsOn(disk: GuestDisk): number {
  return Number(disk.read(BOOT_COUNT) ?? "0");
}

/** Forgets the boots of the donor, as its journal goes with its logs. The boot in which a new node does that counts. */
export function forgetBoots(disk: GuestDisk & Pick<MachineDisk, "remove">, isHelper: boolean): void {
  disk.write(BOOT_COUNT, isHelper ? "0" : "1");
  // It is in memory, so no copy of a disk has the bootstrap data that cloud-init wrote there.
  disk.remove("/run");
}

/** The identity of the operating system on this disk: each boot has its own boot id. */
export function bootIdentity(disk: GuestDisk): BootIdentity {
  const machineId = (disk.read(MACHINE_ID) ?? "").trim();
  const boots = disk.read(BOOT_COUNT) ?? "0";
  return { machineId, bootId: uuidFrom(createRng(machineId, `boot/${boots}`)) };
}

/** One power-on of one machine. */
export type PowerOn = Pick<Machine, "vmId" | "starts">;

/** Records for which power-on of its machine the operating system has booted. */
export function writeBootedFor(disk: GuestDisk, { vmId, starts }: PowerOn): void {
  disk.write(BOOTED_FOR, `${vmId}/${starts}\n`);
}

/** Whether the operating system has booted since its machine was last powered on. Disks of older stores do not tell. */
export function hasBootedFor(disk: GuestDisk, { vmId, starts }: PowerOn): boolean {
  const last = disk.read(BOOTED_FOR)?.trim();
  return last === undefined || last === `${vmId}/${starts}`;
}

/** Writes the files of cloud-init. */
export function writeFiles(disk: GuestDisk, files: readonly GuestFile[]): void {
  for (const { path, content } of files) disk.write(path, content);
}

/** What a join leaves on the disk, besides the identity of the machine. */
export interface JoinFiles {
  readonly endpoint: string;
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly caCertHashes?: readonly string[];
}

/** Writes what a join leaves on the disk: the API server's address, and a key of this machine. */
export function writeJoin(
  disk: GuestDisk,
  request: JoinFiles,
  { nodeName, rng }: { readonly nodeName: string; readonly rng: Rng },
): void {
  // A control plane has the certificate authority on its disk already.
  if (request.caCertHashes && disk.read(CLUSTER_CA) === undefined)
    disk.write(CLUSTER_CA, `simulated authority ${request.caCertHashes.join(" ")}\n`);
  disk.write(KUBELET_CONF, `server: https://${request.endpoint}\nuser: system:node:${nodeName}\n`);
  disk.write(KUBELET_CONFIG, KUBELET_CONFIGURATION);
  disk.write(KUBELET_FLAGS, `KUBELET_KUBEADM_ARGS="${flagsOf(withExtraFlags(disk, request))}"\n`);
  disk.write(KUBELET_KEY, `simulated kubelet key ${uuidFrom(rng)}\n`);
  disk.write(`${CONTAINERS}/kube-proxy`, "a writable layer\n");
  disk.write(CLOUD_INIT_LOG, "This node has joined the cluster\n");
}

/** Labels are added to those of kubeadm; taints replace them, as the kubelet does with a flag that is given twice. */
function withExtraFlags(disk: GuestDisk, request: JoinFiles): Pick<JoinFiles, "labels" | "taints"> {
  const extra = disk.read(KUBELET_EXTRA) ?? "";
  const labels = Object.fromEntries(listIn(extra, "node-labels").map((pair) => pairIn(pair, "=")));
  const taints = listIn(extra, "register-with-taints").map(taintIn);
  return {
    labels: { ...request.labels, ...labels },
    taints: taints.length > 0 ? taints : request.taints,
  };
}

function flagsOf({ labels, taints }: Pick<JoinFiles, "labels" | "taints">): string {
  const ofLabels = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const ofTaints = taints.map(({ key, value = "", effect }) => `${key}=${value}:${effect}`);
  return `--node-labels=${ofLabels.join(",")} --register-with-taints=${ofTaints.join(",")}`;
}

/** Writes the reason to the log where a user would look for it. */
export function writeFailure(disk: GuestDisk, { reason, message }: GuestFailure): void {
  disk.write(CLOUD_INIT_LOG, `${reason}: ${message}\n`);
}

/** Records that cloud-init ended without a node: it does not run again on this disk. */
export function writeEnd(disk: GuestDisk, failure: GuestFailure): void {
  disk.write(CLOUD_INIT_RESULT, JSON.stringify({ v1: { errors: [failure] } }));
}

/** Why cloud-init ended without a node; undefined when it did not. */
export function readEnd(disk: GuestDisk): GuestFailure | undefined {
  const text = disk.read(CLOUD_INIT_RESULT);
  if (text === undefined) return undefined;
  const { v1 } = JSON.parse(text) as { v1: { errors: readonly GuestFailure[] } };
  return v1.errors[0];
}

/** Files of an earlier join, which kubeadm refuses to overwrite: an image of a node that was not cleaned has them. */
export function joinLeftovers(disk: GuestDisk): readonly string[] {
  return [KUBELET_CONF, CLUSTER_CA].filter((path) => disk.read(path) !== undefined);
}

/** Those of a control plane: its certificates are on the disk before it joins. */
export function controlPlaneLeftovers(disk: GuestDisk): readonly string[] {
  return joinLeftovers(disk).filter((path) => path !== CLUSTER_CA);
}

/** What the kubelet on a disk knows since its join: the API server, and how to register. */
export interface KubeletIdentity {
  readonly endpoint: string;
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** The kubelet on the disk; undefined when it never joined. */
export function kubeletOn(disk: GuestDisk): KubeletIdentity | undefined {
  const conf = disk.read(KUBELET_CONF) ?? "";
  const endpoint = /^server: https:\/\/(.+)$/m.exec(conf)?.[1];
  const nodeName = /^user: system:node:(.+)$/m.exec(conf)?.[1];
  if (endpoint === undefined || nodeName === undefined) return undefined;
  const flags = disk.read(KUBELET_FLAGS) ?? "";
  return {
    endpoint,
    nodeName,
    labels: Object.fromEntries(listIn(flags, "node-labels").map((pair) => pairIn(pair, "="))),
    taints: listIn(flags, "register-with-taints").map(taintIn),
  };
}

function listIn(flags: string, name: string): string[] {
  const value = new RegExp(`--${name}=([^\\s"]*)`).exec(flags)?.[1] ?? "";
  return value.split(",").filter((part) => part !== "");
}

function pairIn(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

function taintIn(text: string): Taint {
  const [key, rest] = pairIn(text, "=");
  const [value, effect] = pairIn(rest, ":");
  return { key, effect, ...(value !== "" && { value }) };
}

/** Whether the disk has kubeadm. A file with another content is a damaged one, which does not run. */
export function hasKubeadm(disk: GuestDisk): boolean {
  return disk.read(KUBEADM)?.startsWith("kubeadm") === true;
}

/** The version of Kubernetes on the disk. */
export function kubernetesVersion(disk: GuestDisk): string {
  return (disk.read(KUBERNETES_VERSION) ?? "v0.0.0").trim();
}

/** Writes the manifests of the static pods, as `kubeadm upgrade` does; the one of the API server stands for all. */
export function writeManifests(disk: GuestDisk, version: string): void {
  disk.write(API_SERVER_MANIFEST, `image: registry.k8s.io/kube-apiserver:${version}\n`);
}

/** The version of the static pods: of the last upgrade, or of the image that the machine booted from. */
export function staticPodVersion(disk: GuestDisk): string {
  return /:(v\S+)$/m.exec(disk.read(API_SERVER_MANIFEST) ?? "")?.[1] ?? kubernetesVersion(disk);
}

/** The version of kubeadm on the disk; images have the one of their kubelet. */
export function installedKubeadm(disk: GuestDisk): string | undefined {
  const binary = disk.read(KUBEADM);
  if (binary === undefined) return undefined;
  return /^kubeadm (v\S+)$/m.exec(binary)?.[1] ?? kubernetesVersion(disk);
}

/** Installs kubeadm. */
export function writeKubeadm(disk: GuestDisk, version: string): void {
  disk.write(KUBEADM, `kubeadm ${version}\n`);
}

/** Installs the kubelet; it runs after its next start. */
export function writeKubelet(disk: GuestDisk, version: string): void {
  disk.write(KUBERNETES_VERSION, `${version}\n`);
}

/** Writes the configuration of the kubelet, as `kubeadm upgrade node` does. */
export function writeKubeletConfig(disk: GuestDisk, version: string): void {
  disk.write(KUBELET_CONFIG, `${KUBELET_CONFIGURATION}# written by kubeadm ${version}\n`);
}

/** The kernel on the disk: security updates bring a newer one. */
export function kernelOn(disk: GuestDisk): string {
  const updates = installedUpdates(disk);
  return updates === 0 ? "6.8.0-azure" : `6.8.0-${updates}-azure`;
}

/** The container images on the disk. */
export function readImages(disk: GuestDisk): ContainerImage[] {
  const images: unknown = JSON.parse(disk.read(IMAGES) ?? "[]");
  return Array.isArray(images) ? images.filter(isJsonObject) : [];
}

/** Whether the disk has exactly this list of images. */
export function hasImages(disk: GuestDisk, images: readonly Frozen<ContainerImage>[]): boolean {
  return disk.read(IMAGES) === JSON.stringify(images);
}

/** Writes the list of images to the disk. */
export function writeImages(disk: GuestDisk, images: readonly Frozen<ContainerImage>[]): void {
  disk.write(IMAGES, JSON.stringify(images));
}

/** The images in every reference image. */
function shippedImages(version: string): ContainerImage[] {
  return [
    { names: [`registry.k8s.io/kube-proxy:${version}`], sizeBytes: 28_000_000 },
    { names: ["registry.k8s.io/pause:3.10"], sizeBytes: 320_000 },
  ];
}
